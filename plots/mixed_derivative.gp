# SPDX-License-Identifier: GPL-3.0-or-later
# What networks miss of x_+ y_+ tanh z in the mixed derivative against their width, beside the bounds: mixed_derivative.csv of experiments/mixed_derivative.c.
classes = 'relu*relu2 relu*gelu relu*tanh relu*relu relu2*id gelu*tanh qd-la'
mine(i) = strcol('class') eq word(classes, i) ? column('width') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'mixed_derivative', 700, 440)
    set title 'x_+ y_+ tanh z in the mixed derivative' font ',14'
    set xrange [0.7:*]; set xtics 1; set yrange [0:0.82]; set ytics 0.2
    set xlabel 'width m'; set ylabel 'ess sup |∂^2(T - f)/∂x∂y| found'
    set key outside right center
    set label 1 'no network of qd-la below tanh(1)/4' at graph 0.02, first tanh(1) / 4 - 0.028 left font ',11' textcolor rgb faint
    set label 2 'both activations C^1: tanh(1)/2' at graph 0.02, first tanh(1) / 2 - 0.028 left font ',11' textcolor rgb faint
    set label 3 'qd-moa: exact' at first 1.08, first 0.022 left font ',11'
    plot tanh(1) / 4 with lines linecolor rgb ink dashtype 3 linewidth 1.6 notitle, tanh(1) / 2 with lines linecolor rgb faint dashtype 3 linewidth 1.6 notitle, \
         for [i = 1:words(classes)] 'mixed_derivative.csv' using (mine(i)):'E' with linespoints linetype i title word(classes, i), \
         '' using (strcol('class') eq 'qd-moa' ? column('width') : NaN):'E' with points linetype 8 notitle
}
