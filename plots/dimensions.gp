# SPDX-License-Identifier: GPL-3.0-or-later
# Slopes of the test error against parameters in two to eight dimensions, ours over seeds (filled, with 95 % intervals) beside the
# published ones (open), and the errors they are of: slopes.csv, errors.csv, reference.csv of experiments/sweeps/dimensions.py.
archs = 'mlp glu gqu'
problems = ''
do for [name in 'sin4sin4 cos4cos4 runge3_2d friedman1 friedman2 friedman3 airfoil california'] {
    stats 'slopes.csv' using (strcol('problem') eq name ? 1 : 0) name 's' nooutput
    if (s_sum > 0) { problems = problems . ' ' . name }
}
count = words(problems)
dims = '2D 2D 2D 5D 4D 4D 5D 8D'
rank(name) = sum [i = 1:count] (word(problems, i) eq name ? i : 0)
known = 'sin4sin4 cos4cos4 runge3_2d friedman1 friedman2 friedman3 airfoil california'
title_of(name) = sum [i = 1:8] (word(known, i) eq name ? i : 0)
entitle(name) = name . ', ' . word(dims, title_of(name))
mine(a, name, v) = strcol('arch') eq a && strcol('problem') eq name ? v : NaN
of(a, v) = strcol('arch') eq a ? v : NaN
open_mark(i) = i == 1 ? 6 : i == 2 ? 4 : 8
level(k) = -rank(strcol('problem')) + 0.22 * (2 - k)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'dimensions', 1180, 560)
    set multiplot
    unset logscale; set format '%g'; unset title
    set lmargin at screen 0.095; set rmargin at screen 0.375; set tmargin at screen 0.84; set bmargin at screen 0.1
    set xrange [-3:1]; set yrange [-count - 0.6:-0.4]
    unset ytics; set ytics scale 0 nomirror
    do for [i = 1:count] { set ytics add (entitle(word(problems, i)) -i) }
    set ytics noenhanced
    set xlabel 'slope against parameters' offset 0,raise; set xtics 0.5; set grid xtics; unset grid
    set grid xtics noytics
    do for [i = 1:count - 1] { set arrow i from graph 0, first -i - 0.5 to graph 1, first -i - 0.5 nohead linewidth 0.4 linecolor rgb '#d8d8d8' }
    set key at screen 0.235, screen 0.985 center top horizontal maxcols 3 enhanced
    plot for [k = 1:3] 'slopes.csv' using (of(word(archs, k), column('slope'))):(level(k)):'low':'high' with xerrorbars linetype k pointtype 0 linewidth 1.4 notitle, \
         for [k = 1:3] 'slopes.csv' using (of(word(archs, k), column('slope'))):(level(k)) with points linetype k pointsize 0.9 title word(archs, k), \
         for [k = 1:2] 'slopes.csv' using (of(word(archs, k), column('published'))):(level(k)) with points linetype k pointtype open_mark(k) pointsize 1.1 title word(archs, k) . ', published'
    unset arrow; unset key; unset yrange; set grid xtics ytics; unset ylabel
    set xrange [5:1200]; set yrange [*:*]; set logscale xy; set format y power; set ytics autofreq scale 0.6 nomirror enhanced
    do for [i = 1:count] {
        name = word(problems, i)
        c = (i - 1) % 4; r = (i - 1) / 4
        set lmargin at screen 0.435 + c * 0.146; set rmargin at screen 0.435 + c * 0.146 + 0.102
        set tmargin at screen 0.935 - r * 0.475; set bmargin at screen 0.575 - r * 0.475
        set title entitle(name) noenhanced offset 0,-0.6
        set xtics (10, 100, 1000) nomirror; set format x '%g'
        if (r == (count - 1) / 4 || i + 4 > count) { set xlabel 'parameters' offset 0,0.4 } else { unset xlabel }
        plot for [k = 1:3] 'errors.csv' using (mine(word(archs, k), name, column('params'))):'best':'worst' with filledcurves linetype k fillstyle transparent solid 0.15 noborder notitle, \
             for [k = 1:3] 'errors.csv' using (mine(word(archs, k), name, column('params'))):'median' with linespoints linetype k notitle, \
             for [k = 1:2] 'reference.csv' using (mine(word(archs, k), name, column('params'))):'error' with linespoints linetype k dashtype (3,3) linewidth 0.9 pointtype open_mark(k) notitle
    }
    unset multiplot
}
