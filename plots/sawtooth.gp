# SPDX-License-Identifier: GPL-3.0-or-later
# x^2 by relu alone: left the error of the first networks, curves.csv; right errors against units, sawtooth.csv and pieces.csv of
# experiments/sweeps/sawtooth.py. One hidden layer of p units, one of them open on all of [0, 1], has p pieces.
do for [format in 'svg pdf png'] {
    eval canvas(format, 'sawtooth', 940, 420)
    set multiplot title '{/:Italic x}^2 on [0, 1] by relu alone' font ',15'
    unset logscale; set tmargin at screen 0.86; set bmargin at screen 0.14
    set lmargin at screen 0.075; set rmargin at screen 0.47
    set xrange [0:1]; set xtics 0.25; set yrange [0:0.078]; set ytics (0, '1/64' 1./64, '1/16' 1./16); set format y '%g'
    set xlabel '{/:Italic x}'; set ylabel 'network - {/:Italic x}^2' offset 0.5,0
    set key right top horizontal samplen 1.4; set title 'error of {/:Italic m} stages' offset 0,-0.6 font ',13'
    plot for [m = 1:3] 'curves.csv' using 'x':(column('m'.m)) with lines linetype m title sprintf('m = %d', m)
    set lmargin at screen 0.575; set rmargin at screen 0.975
    set logscale xy; set xrange [0.9:70]; set xtics (1, 2, 4, 8, 16, 32, 64); set yrange [1e-14:1]; set ytics autofreq; set format y '10^{%T}'
    set xlabel 'hidden units'; set ylabel 'largest error' offset 1,0; set key left bottom reverse Left samplen 2
    set title 'error against units' offset 0,-0.6 font ',13'
    plot 'pieces.csv' using 'pieces':'found' with points linetype 2 pointsize 0.4 title 'one layer of {/:Italic p} units: 1/(8 {/:Italic p}^2)' enhanced, \
         '' using 'pieces':'bound' with lines linetype 2 linewidth 0.8 notitle, \
         'sawtooth.csv' using 'units':'error' with linespoints linetype 1 title '{/:Italic m} stages: 4^{-({/:Italic m}+1)}' enhanced, \
         '' using 'units':'centred' with linespoints linetype 3 title 'the same, centred: 1/(8 {/:Italic p}^2)' enhanced, \
         '' using 'units':'lower' with lines linecolor rgb ink linewidth 1 dashtype (6,5) title 'no network below'
    unset multiplot
}
