# SPDX-License-Identifier: GPL-3.0-or-later
# Least error of each unit (row) on each target (column) at the largest budget; colour: decades above the column's best, which is framed (so are all at the rounding floor, where it is),
# its slope against P below: points.csv of experiments/tournament.c.
stats 'points.csv' using 'budget' name 'budget' nooutput
top = budget_max
do for [format in 'svg pdf png'] {
    eval canvas(format, 'tournament', 1100, 520)
    set title sprintf('least RMSE with at most %d parameters; slope of the winner against {/:Italic P}', top) font ',15' offset 0,0.3
    unset key; unset grid; unset border; set tics scale 0
    set xrange [-1.5:9.5]; set yrange [12.1:-0.5]
    unset xtics; unset ytics; set label 1 'slope' at -0.6, 11.1 right font ',12'
    set cbrange [0:8]; set cbtics 2; set cblabel 'decades above the best' offset 0.8,0
    set palette defined (0 '#74b3dc', 0.5 '#d5e7f3', 1 '#f7f7f7', 3 '#f6d5bf', 8 '#e08a58')
    set colorbox user origin 0.93,0.2 size 0.014,0.62
    set lmargin at screen 0.01; set rmargin at screen 0.915; set tmargin at screen 0.89; set bmargin at screen 0.04
    plot 'points.csv' using (column('budget') == top ? column('column') : NaN):'row':(0.49):(0.47):'log10_ratio' \
             with boxxyerror fillstyle solid noborder linecolor palette, \
         '' using (column('budget') == top && column('winner') >= 1 ? column('column') : NaN):'row':(0.48):(0.46) \
             with boxxyerror fillstyle empty linecolor rgb ink linewidth 2, \
         '' using (column('budget') == top ? column('column') : NaN):'row':(sprintf('%.1e', column('rmse_test'))) \
             with labels textcolor rgb '#202020' font ',11', \
         '' using (column('budget') == top && column('winner') == 2 ? column('column') : NaN):(11.1):(strcol('slope')) \
             with labels textcolor rgb '#202020' font ',11', \
         '' using (column('budget') == top && column('row') == 0 ? column('column') : NaN):(11.8):(strcol('target')) \
             with labels textcolor rgb '#202020' font ',12', \
         '' using (column('budget') == top && column('column') == 0 ? -0.6 : NaN):'row':(strcol('unit')) \
             with labels right textcolor rgb '#202020' font ',12'
}
unset output
