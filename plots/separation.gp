# SPDX-License-Identifier: GPL-3.0-or-later
# Error in W^{1,inf} against width: the networks found, sup |e| and sup |grad e| of each, their certified bands, and the bound: separation.csv of steep separate.
# What is below 1e-17, as 0 is, stands there. Before this stand: title (text in enhanced mode), certified (1: bands are there), bounded (1: a bound is there).
least = 1e-17
at(v) = v <= least ? least : v
do for [format in 'svg pdf png'] {
    eval canvas(format, 'separation', 620, 420)
    set title title font ',14' enhanced
    stats 'separation.csv' using 'width' name 'w' nooutput
    set xrange [w_min - 0.5 : w_max + 0.5]
    if (w_max <= 20) { set xtics 1 }
    set logscale y; set format y '%g'
    set xlabel 'width m' offset 0,raise; set ylabel 'error' offset inward,0
    set key outside right center
    plot 'separation.csv' using (bounded ? column('width') : NaN):'bound' with lines linecolor rgb ink dashtype 3 linewidth 1.6 title (bounded ? 'bound' : ''), \
         '' using (certified ? column('width') : NaN):(at(column('W'))):(at(column('certified_low'))):(at(column('certified_high'))) with yerrorbars linecolor rgb ink pointtype 0 title (certified ? 'certified' : ''), \
         '' using 'width':(at(column('W'))) with linespoints linetype 1 title 'W', \
         '' using 'width':(at(column('E1'))) with linespoints linetype 2 title 'sup |∇e|', \
         '' using 'width':(at(column('E0'))) with linespoints linetype 3 title 'sup |e|'
}
