# SPDX-License-Identifier: GPL-3.0-or-later
# Error of each unit (row, the best first) on each target (column) at one budget of parameters, as a share of the target's deviation; colour: decades above the column's best, which is framed:
# contest.csv of experiments/contest.c.
stats 'contest.csv' using 'row' name 'row' nooutput
rows = row_max + 1
do for [format in 'svg pdf png'] {
    eval canvas(format, 'contest', 1160, 130 + 17 * rows)
    set title 'error at most 120 parameters, as a share of the deviation' font ',15' offset 0,0.3
    unset key; unset grid; unset border; set tics scale 0
    set xrange [-1.9:10.5]; set yrange [rows + 0.4:-0.6]
    unset xtics; unset ytics
    set cbrange [0:8]; set cbtics 2; set cblabel 'decades above the best' offset 0.8,0
    set palette defined (0 '#74b3dc', 0.5 '#d5e7f3', 1 '#f7f7f7', 3 '#f6d5bf', 8 '#e08a58')
    set colorbox user origin 0.93,0.2 size 0.014,0.62
    set lmargin at screen 0.01; set rmargin at screen 0.915; set tmargin at screen 1 - 45.0 / (130 + 17 * rows); set bmargin at screen 25.0 / (130 + 17 * rows)
    plot 'contest.csv' using 'column':'row':(0.49):(0.47):'decades' with boxxyerror fillstyle solid noborder linecolor palette, \
         '' using (column('winner') == 1 ? column('column') : NaN):'row':(0.48):(0.46) with boxxyerror fillstyle empty linecolor rgb ink linewidth 2, \
         '' using 'column':'row':(sprintf('%.1e', column('test'))) with labels textcolor rgb '#202020' font ',10', \
         '' using (column('row') == 0 ? column('column') : NaN):(rows):(strcol('target')) with labels textcolor rgb '#202020' font ',12', \
         '' using (column('column') == 0 ? -0.6 : NaN):'row':(strcol('unit')) with labels right textcolor rgb '#202020' font ',11'
}
unset output
