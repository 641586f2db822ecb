# SPDX-License-Identifier: GPL-3.0-or-later
# Training error against iterations and against seconds, a line for each seed, width 20 on cosine_well: trace.csv of experiments/sweeps/solvers.py.
archs = 'mlp glu gqu'
solvers = 'gsl lm varpro newton reduced-newton'
style(i) = i == 1 ? 9 : i == 2 ? 5 : i == 3 ? 4 : i == 4 ? 2 : 1
mine(a, i) = strcol('target') eq 'cosine_well' && column('width') == 20 && strcol('arch') eq word(archs, a) && strcol('solver') eq word(solvers, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'solvers', 1000, 640)
    set multiplot title "solvers from the same starts: cosine\\_well, width 20" font ',15'
    set logscale xy; set format y '10^{%T}'
    do for [r = 1:2] {
        set tmargin at screen r == 1 ? 0.885 : 0.455; set bmargin at screen r == 1 ? 0.545 : 0.09
        if (r == 1) { set xrange [0.9:4000]; set format x power; set xlabel 'iterations' offset 0,0.4 }
        else { set xrange [1e-4:20]; set format x '10^{%T}'; set xlabel 'seconds' offset 0,0.3 }
        do for [a = 1:3] {
            set lmargin at screen 0.075 + (a - 1) * 0.317; set rmargin at screen 0.075 + (a - 1) * 0.317 + 0.27
            set yrange [a == 1 ? 1e-3 : a == 2 ? 5e-5 : 1e-5 : 1]
            if (a == 1) { set ylabel 'RMSE, training' offset 0.5 + inward,0 } else { unset ylabel }
            if (r == 1) { set title word(archs, a) offset 0,-0.6 font ',13' } else { unset title }
            if (a == 1 && r == 1) { set key right top reverse Left } else { unset key }
            plot for [i = 1:5] 'trace.csv' using \
                (mine(a, i) ? (r == 1 ? column('iteration') + (column('iteration') == 0) : column('seconds')) : NaN):'rmse' \
                with lines linetype style(i) linewidth 1.1 title word(solvers, i)
        }
    }
    unset multiplot
}
