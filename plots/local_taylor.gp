# SPDX-License-Identifier: GPL-3.0-or-later
# Theorem 3: largest errors against N, with the bound (lines) and 2^d times it (dotted), in one and two dimensions: local_taylor.csv of
# experiments/sweeps/local_taylor.py.
mine(t, n) = strcol('target') eq t && column('n') == n ? column('N') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'local_taylor', 900, 440)
    set multiplot title 'Local Taylor polynomials as PolyReLU networks' font ',15'
    set logscale xy; set format y '10^{%T}'; set xlabel '{/:Italic N}'
    do for [d = 1:2] {
        t = d == 1 ? 'sin1' : 'sin2'
        set lmargin at screen d == 1 ? 0.085 : 0.57; set rmargin at screen d == 1 ? 0.485 : 0.97
        set tmargin at screen 0.85; set bmargin at screen 0.13
        set xrange [0.9:(d == 1 ? 72 : 18)]; set xtics (1, 2, 4, 8, 16, 32, 64); set yrange [(d == 1 ? 1e-11 : 1e-8):(d == 1 ? 4 : 20)]
        set title d == 1 ? 'sin({/:Italic x} + 0.7), 4{/:Italic N} + 1 units' : 'sin({/:Italic x} + {/:Italic y} + 0.7)' offset 0,-0.6 font ',13'
        if (d == 1) { set ylabel 'largest error' offset 1,0; set key left bottom reverse Left maxrows 4 } else { unset ylabel; unset key }
        plot for [n = 1:4] 'local_taylor.csv' using (mine(t, n)):'bound' with lines linetype n linewidth 1 notitle, \
             for [n = 1:4] '' using (mine(t, n)):'published' with lines linetype n linewidth 0.8 dashtype (2,4) notitle, \
             for [n = 1:4] '' using (mine(t, n)):'error' with points linetype n notitle, \
             for [n = 1:4] keyentry with points linetype n title sprintf('degree %d', n - 1), \
             keyentry with lines linecolor rgb ink linewidth 1 title 'bound', \
             keyentry with lines linecolor rgb ink linewidth 0.8 dashtype (2,4) title 'the paper''s'
    }
    unset multiplot
}
