# SPDX-License-Identifier: GPL-3.0-or-later
# Time of values with gradient over that of the plain unit (points), operations counted from the unit (lines), 64 units; the
# paper's ratio dashed: times.csv of experiments/overhead.c.
mine(name, what) = strcol('unit') eq name ? column(what) : NaN
array First[3] = ['la', 'moa:softmax', 'moa:sigmoid']
array Second[6] = ['one-la', 'bi-la', 'qd-la', 'one-moa', 'bi-moa', 'qd-moa']
do for [format in 'svg pdf png'] {
    eval canvas(format, 'overhead', 1000, 420)
    set multiplot title 'time (points) and operations (lines) over those of the plain unit, values with gradient' font ',15'
    set logscale xy; set xrange [1.6:640]; set xtics (2, 8, 32, 128, 512); set xlabel 'inputs {/:Italic d}' offset 0,0.3
    set format y '%g'; set ytics (1, 1.5, 2, 3, 4, 6, 8); set yrange [0.9:9]; set key right top
    set lmargin at screen 0.07; set rmargin at screen 0.49; set tmargin at screen 0.82; set bmargin at screen 0.15
    set ylabel 'ratio' offset 1 + inward,0; set title 'one branch, beside mlp:gelu' offset 0,-0.5 font ',13'
    set label 1 'paper: 1.03' at 2, 0.97 left textcolor rgb '#606060' font ',11'
    plot 1.03 with lines linecolor rgb faint dashtype 2 notitle, \
         for [i = 1:3] 'times.csv' using 'dim':(mine(First[i], 'operations_gradient')) with lines linetype i notitle, \
         for [i = 1:3] '' using 'dim':(mine(First[i], 'gradient')) with points linetype i pointsize 0.9 title First[i]
    set lmargin at screen 0.56; set rmargin at screen 0.98; unset ylabel
    set title 'two branches, beside glu:silu' offset 0,-0.5 font ',13'
    set label 1 'paper: 1.13' at 2, 1.06
    plot 1.13 with lines linecolor rgb faint dashtype 2 notitle, \
         for [i = 1:6] 'times.csv' using 'dim':(mine(Second[i], 'operations_gradient')) with lines linetype i notitle, \
         for [i = 1:6] '' using 'dim':(mine(Second[i], 'gradient')) with points linetype i pointsize 0.9 title Second[i]
    unset label 1; unset logscale; unset xlabel; unset multiplot
}
