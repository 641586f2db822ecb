# SPDX-License-Identifier: GPL-3.0-or-later
# Mixtures beside the plain unit: a growing dictionary, the gate function, the error against the width: mixtures.csv and widths.csv of
# experiments/sweeps/mixtures.py. Nothing is fitted to the points.
units = 'la moa one-la bi-la qd-la one-moa bi-moa qd-moa'
color(i) = i <= 2 ? i : i - 2
terms(d) = strlen(d) - (strstrt(d, 'r2') > 0) - (strstrt(d, 'i') > 0)
grown(i) = strcol('part') eq 'dictionary' && strcol('unit') eq word(units, i) && column('mean') == column('mean') ? column('mean') : NaN
gated = 'moa one-moa bi-moa qd-moa'
gates = 'softmax tanh sigmoid'
place(u) = u eq 'moa' ? 0 : u eq 'one-moa' ? 1 : u eq 'bi-moa' ? 2 : 3
gate(i) = strcol('part') eq 'gate' && strcol('gate') eq word(gates, i) && column('mean') == column('mean') ? column('mean') : NaN
lines = 'mlp:relu2 mlp:gelu la moa glu:silu bi-la bi-moa'
do for [format in 'svg pdf png'] {
    eval canvas(format, 'mixtures', 1100, 680)
    set multiplot title 'mixtures of activations beside the plain unit (0: as good)' font ',15'
    set lmargin at screen 0.075; set rmargin at screen 0.43; set tmargin at screen 0.86; set bmargin at screen 0.56
    set title 'one branch, beside mlp:relu2' offset 0,-0.5 font ',13'
    set xrange [1.7:6.3]; set xtics ('gs' 2, 'gsr2' 3, 'gsr2lr' 5, 'gsr2lrt' 6); unset xlabel
    set ylabel 'log_{10} of the error ratio' offset 0.8 + inward,0; set format y '%.1f'; set key right top
    set yrange [-1.1:0.05]
    plot for [i = 1:2] 'mixtures.csv' using (terms(strcol('dictionary'))):(grown(i)) with linespoints linetype color(i) title word(units, i)
    set lmargin at screen 0.50; set rmargin at screen 0.845; set yrange [-1:0.5]
    set title 'two branches, beside glu:silu' offset 0,-0.5 font ',13'; unset ylabel
    set key outside right top vertical samplen 1.4 width -1
    plot for [i = 3:8] 'mixtures.csv' using (terms(strcol('dictionary'))):(grown(i)) with linespoints linetype color(i) dashtype i > 5 ? 1 : 2 \
             title word(units, i)
    set key inside
    set lmargin at screen 0.075; set rmargin at screen 0.43; set tmargin at screen 0.42; set bmargin at screen 0.09
    set title 'the gate function' offset 0,-0.5 font ',13'
    set ylabel 'log_{10} of the error ratio' offset 0.8 + inward,0
    set xrange [-0.6:3.6]; set xtics ('moa' 0, 'one-moa' 1, 'bi-moa' 2, 'qd-moa' 3); set boxwidth 0.24; set yrange [*<-1:0<*]
    set key center bottom horizontal samplen 1.4
    plot for [i = 1:3] 'mixtures.csv' using (place(strcol('unit')) + 0.26 * (i - 2)):(gate(i)) with boxes fillstyle solid 0.85 noborder \
             linetype i title word(gates, i)
    set lmargin at screen 0.50; set rmargin at screen 0.845
    set title 'cosine well, best of 21 starts' offset 0,-0.5 font ',13'
    set logscale xy; set xrange [10:180]; set yrange [*:*]; set xtics (16, 32, 64, 128); set format y power
    set ylabel 'test error' offset 1.5 + inward,0; set xlabel 'parameters' offset 0,0.4; set key outside right top vertical samplen 1.4 width -1
    plot for [i = 1:7] 'widths.csv' using (strcol('unit') eq word(lines, i) ? column('params') : NaN):'best' with linespoints linetype i \
             title word(lines, i)
    unset logscale; unset xlabel; unset ylabel; set key inside; unset multiplot
}
