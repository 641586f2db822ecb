# SPDX-License-Identifier: GPL-3.0-or-later
# Gains of variance-preserving starts against the degree, forward (filled) and backward (open), as printed and as corrected; and the mean
# square of signals through random layers: variance.csv and variance_depth.csv of experiments/sweeps/variance.py.
mine(name) = strcol('start') eq name && column('degree') > 0 ? column('degree') : NaN
depth(name, n) = strcol('start') eq name && column('degree') == n && strcol('what') eq 'signal' ? column('depth') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'variance', 1000, 660)
    set multiplot title 'Variance-preserving starts: gains, and what they do in depth' font ',15'
    eval look; set logscale x; set key samplen 2.4 noreverse Right
    do for [t = 1:4] {
        set lmargin at screen t % 2 ? 0.075 : 0.565; set rmargin at screen t % 2 ? 0.495 : 0.985
        set tmargin at screen t <= 2 ? 0.89 : 0.435; set bmargin at screen t <= 2 ? 0.575 : 0.095
        unset label; unset logscale y; set yrange [0:*]; set format y '%g'
        set label 1 word('hermite fourier tropical depth', t) at graph 0.02, graph 1.06 left font ',14'
        if (t % 2) { set ylabel 'gain' offset 0.5,0 } else { unset ylabel }
        if (t == 3) { set xlabel 'degree {/:Italic n}' } else { unset xlabel }
        set xrange [0.9:110]; set xtics (1, 2, 4, 8, 16, 100)
        if (t == 1) {
            set yrange [0:3]; set key right top
            plot for [i = 1:2] 'variance.csv' using (mine(word('hermite hermite/sqrt(e)', i))):'backward' with linespoints linetype i pointtype 6 pointsize 1.1 dashtype (6,6) notitle, \
                 for [i = 1:2] '' using (mine(word('hermite hermite/sqrt(e)', i))):'forward' with linespoints linetype i title i == 1 ? 'theorem 3.8, both gains' : 'divided by sqrt(e)'
        }
        if (t == 2) {
            set yrange [0:1.1]; set key right top
            set label 2 'x uniform, of variance 1 (remark D.8)' at graph 0.98, graph 1.06 right textcolor rgb faint
            plot for [i = 1:2] 'variance.csv' using (mine(word('fourier-D.8 fourier-repaired', i))):'backward' with linespoints linetype i pointtype 6 pointsize 1.1 dashtype (6,6) notitle, \
                 for [i = 1:2] '' using (mine(word('fourier-D.8 fourier-repaired', i))):'forward' with linespoints linetype i title i == 1 ? 'as printed, forward' : 'a_0 repaired, both; as printed, backward' noenhanced
        }
        if (t == 3) {
            set yrange [0:1.1]; set key right bottom
            plot for [i = 1:2] 'variance.csv' using (mine(word('tropical tropical-zero', i))):'backward' with linespoints linetype i pointtype 6 pointsize 1.1 dashtype (6,6) notitle, \
                 for [i = 1:2] '' using (mine(word('tropical tropical-zero', i))):'forward' with linespoints linetype i title i == 1 ? 'theorem 3.19, forward' : 'backward; both with all a_k = 0' noenhanced
        }
        if (t == 4) {
            set xrange [0.9:17.5]; set logscale y; set yrange [1e-2:1e8]; set format y power; set xlabel 'layers'; set xtics (1, 2, 4, 8, 16)
            set ylabel 'mean square' offset 0.5,0; set key left top reverse Left
            plot 'variance_depth.csv' using (depth('relu', 0)):'median' with linespoints linetype 7 title 'relu', \
                 '' using (depth('gelu', 0)):'median' with linespoints linetype 4 title 'gelu', \
                 '' using (depth('hermite', 3)):'median' with linespoints linetype 1 title 'hermite 3', \
                 '' using (depth('hermite', 6)):'median' with linespoints linetype 6 title 'hermite 6', \
                 '' using (depth('fourier', 6)):'median' with linespoints linetype 2 title 'fourier 6', \
                 '' using (depth('tropical', 6)):'median' with linespoints linetype 3 title 'tropical 6'
        }
    }
    unset multiplot
}
