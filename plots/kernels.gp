# SPDX-License-Identifier: GPL-3.0-or-later
# The share of fits whose training error changes by so much or less when the last digit of the target's values does:
# shares.csv of experiments/kernels.c.
solvers = "construct frozen reduced-newton newton lm varpro gsl adam adamw lbfgs sgd muon"
mine(i) = strcol('solver') eq word(solvers, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'kernels', 820, 440)
    set title 'after a change in the last digit of the data' font ',15'
    set logscale x; set format x '10^{%T}'; set xrange [1e-16:10]
    set xlabel 'change of the training error, relative' offset 0,0.3
    set yrange [0:1.03]; set ytics 0.25; set ylabel 'share of fits' offset 0.5 + inward,0
    set rmargin at screen 0.77; set key at screen 0.79, 0.9 left top reverse Left
    set arrow 1 from 0.01,0 to 0.01,1 nohead linewidth 1 linecolor rgb '#404040' dashtype 3
    set label 1 '1 %' at 0.014,0.04 font ',11'
    plot for [i = 1:9] 'shares.csv' using (mine(i) ? column('change') : 1/0):'share' with steps linetype i \
             title word(solvers, i), \
         for [i = 10:words(solvers)] '' using (mine(i) ? column('change') : 1/0):'share' with steps linetype i \
             dashtype 2 title word(solvers, i)
}
