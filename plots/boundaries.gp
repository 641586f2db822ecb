# SPDX-License-Identifier: GPL-3.0-or-later
# Decision boundaries: a row for each data set, a column for each unit; the network as colour, the boundary black, the
# points of the fit, the share of points on the right side: what experiments/sweeps/boundaries.py writes.
sets = 'normal moons circles'
units = 'relu hermite fourier tropical'
names = "'two normal classes' moons circles"
of_set(d) = strcol('data') eq word(sets, d)
set palette defined (-1 '#9cc4de', 0 '#ffffff', 1 '#efb98f')
set cbrange [-1:1]
do for [format in 'svg pdf png'] {
    eval canvas(format, 'boundaries', 1080, 800)
    set multiplot title 'Decision boundaries of one layer of 16 units; points on the right side: of the fit / of 2,000 others' font ',15'
    set border 31 linewidth 0.8 linecolor rgb '#404040'; unset grid; unset xtics; unset ytics; unset colorbox; unset key
    do for [d = 1:3] {
        do for [u = 1:4] {
            i = 4 * (d - 1) + u - 1
            values = sprintf('grid-%s-%s.csv', word(sets, d), word(units, u))
            set lmargin at screen 0.035 + 0.24 * (u - 1); set rmargin at screen 0.265 + 0.24 * (u - 1)
            set tmargin at screen 0.89 - 0.3 * (d - 1); set bmargin at screen 0.625 - 0.3 * (d - 1)
            unset label
            if (d == 1) { set label 1 word(units, u) at graph 0.01, graph 1.06 left font ',14' }
            if (u == 1) { set label 2 word(names, d) at graph -0.06, graph 0.5 center rotate by 90 font ',13' }
            stats 'boundaries.csv' every ::i::i using (column('wrong_train')) name 'fit' nooutput
            stats 'boundaries.csv' every ::i::i using (column('wrong_test')) name 'other' nooutput
            set label 3 sprintf('%.1f / %.1f %%', 100 * (1 - fit_mean), 100 * (1 - other_mean)) at graph 0.995, graph 1.045 right textcolor rgb '#606060' font ',11'
            set contour base; set cntrparam levels discrete 0; unset surface
            set table $boundary
            splot values using 'x1':'x2':'y' with lines
            unset table
            unset contour; set surface
            set autoscale xfix; set autoscale yfix
            plot values using 'x1':'x2':'y' with image notitle, \
                 'points.csv' using (of_set(d) && column('class') > 0 ? column('x1') : NaN):'x2' with points pointtype 7 pointsize 0.42 linecolor rgb '#D55E00' notitle, \
                 '' using (of_set(d) && column('class') < 0 ? column('x1') : NaN):'x2' with points pointtype 5 pointsize 0.36 linecolor rgb '#0072B2' notitle
            set xrange [GPVAL_X_MIN:GPVAL_X_MAX]; set yrange [GPVAL_Y_MIN:GPVAL_Y_MAX]; unset label
            set datafile separator whitespace # what "set table" has written
            plot $boundary using 1:2 with lines linewidth 2 linecolor rgb '#000000' notitle
            set datafile separator comma; set xrange [*:*]; set yrange [*:*]
        }
    }
    unset multiplot
}
