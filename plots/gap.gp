# SPDX-License-Identifier: GPL-3.0-or-later
# Errors of glu with relu gates against the width, by optimiser, random starts, the most steps that all have, with
# quartiles over seeds; varpro from random and uniform gates; the proven lower bound of each width, dotted: gap.csv of
# experiments/gap.
targets = system("awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' gap.csv")
solvers = system("awk -F, 'NR > 1 && $3 != \"varpro\" && !seen[$3]++ { print $3 }' gap.csv")
most = system("awk -F, 'NR > 1 && $3 == \"lbfgs\" && $5 > most { most = $5 } END { print most + 0 }' gap.csv")
mine(solver, start, steps, column_name) = \
    strcol('target') eq target && strcol('arch') eq 'glu' && strcol('solver') eq solver && \
    strcol('start') eq start && column('steps') == steps ? column(column_name) : NaN
last(k, column_name) = mine(word(solvers, k), 'random', most, column_name)
set datafile missing
do for [format in 'svg pdf png'] {
    eval canvas(format, 'gap', 1180, 720)
    set multiplot layout 2, 2 margins 0.07, 0.8, 0.08, 0.95 spacing 0.07, 0.12
    set logscale xy; set format y power; set xrange [3:*]; set xtics (4, 8, 16, 32, 64, 128, 256)
    do for [i = 1:words(targets)] {
        target = word(targets, i)
        set title target noenhanced
        set xlabel i > 2 ? 'width' : '' offset 0,raise; set ylabel i % 2 ? 'error' : '' offset inward,0
        if (i == 1) { set key at screen 0.82, 0.95 left top Left reverse } else { unset key }
        plot for [k = 1:words(solvers)] 'gap.csv' using 'width':(last(k, 'error')):(last(k, 'low')):(last(k, 'high')) \
                 with yerrorbars linetype k notitle, \
             for [k = 1:words(solvers)] '' using 'width':(last(k, 'error')) \
                 with linespoints linetype k title word(solvers, k) . ', random', \
             for [k = 1:2] '' using 'width':(mine('varpro', word('random uniform', k), 0, 'error')) \
                 with linespoints linetype 5 + k title 'varpro, ' . word('random uniform', k), \
             '' using 'width':(mine('lbfgs', 'random', most, 'bound')) \
                 with lines linecolor rgb ink dashtype 3 linewidth 1.6 title 'lower bound'
    }
    unset multiplot
}
