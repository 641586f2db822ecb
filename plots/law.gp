# SPDX-License-Identifier: GPL-3.0-or-later
# A law of two sizes, from law_points.csv and law_best.csv of steep law: loss against compute with the least loss of each compute,
# curves of equal loss in the plane of sizes with the best sizes, and deviations from the law. Before this stand: title, params,
# data, loss (names of the columns, as they stand) and the law, E + ((A P^-a)^(1/g) + (B P^c N^-b)^(1/g))^g, as numbers.
stats 'law_points.csv' using 'params' name 'p' nooutput
stats 'law_points.csv' using 'tokens' name 'n' nooutput
stats 'law_points.csv' using 'fitted' name 'l' nooutput
stats 'law_points.csv' using 'loss' name 'm' nooutput
stats 'law_points.csv' using 'deviation' name 'd' nooutput
stats 'law_best.csv' using 'loss_low' name 'low' nooutput
far = d_max > 6 || d_min < -6
near(d) = abs(d) > 6 ? NaN : d
bottom = low_min < m_min ? low_min : m_min
curves = 7
level(i) = E + (l_min - E) * ((l_max - E) / (l_min - E)) ** ((i - 0.5) / curves)
rest(P, L) = (L - E) ** (1 / g) - (A * P ** -a) ** (1 / g)
equal(P, L) = L > E && rest(P, L) > 0 ? exp((log(B) + c * log(P) - g * log(rest(P, L))) / b) : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'law', 1000, 400)
    set multiplot title title noenhanced font ',15'
    set logscale xy; set format x power; set key at graph 0.5, screen 0.905 center horizontal
    set tmargin at screen 0.87; set bmargin at screen 0.15
    set lmargin at screen 0.065; set rmargin at screen 0.335
    set xlabel 'compute' offset 0,raise; set ylabel loss noenhanced offset 1,0; set format y '%g'
    if (m_max < 8 * bottom) { unset logscale y }
    set yrange [bottom / 1.03 : m_max * 1.03]
    plot 'law_best.csv' using 'compute':'loss_low':'loss_high' with filledcurves fillcolor rgb 0xd5e4f1 title 'least loss', \
         'law_points.csv' using 'budget':'loss' with points linetype 2 pointtype 6 pointsize 0.5 title 'measured', \
         'law_best.csv' using 'compute':'loss' with lines linetype 1 linewidth 1.6 notitle
    set lmargin at screen 0.40; set rmargin at screen 0.67
    set logscale y; set xlabel params noenhanced offset 0,raise; set ylabel data noenhanced; set format y power
    set xrange [p_min / 1.5 : p_max * 1.5]; set yrange [n_min / 1.5 : n_max * 1.5]; set samples 400
    plot for [i = 1:curves] equal(x, level(i)) with lines linecolor rgb faint linewidth 1 title (i == 1 ? 'equal loss' : ''), \
         'law_points.csv' using 'params':'tokens' with points linetype 2 pointtype 6 pointsize 0.5 notitle, \
         'law_best.csv' using 'params':'data' with lines linetype 1 linewidth 1.6 title 'best sizes'
    set lmargin at screen 0.76; set rmargin at screen 0.97
    set autoscale xy; unset logscale y; set format y '%g'
    set xlabel 'compute' offset 0,raise; set ylabel 'deviations from the law' offset -0.8,0; unset key
    if (far) { set yrange [-6.4 : 6.4]; set label 1 'triangles: beyond 6' at graph 0.98, 0.95 right }
    plot 0 with lines linecolor rgb ink linewidth 0.8, \
         'law_points.csv' using 'budget':(near(column('deviation'))) with points linetype 2 pointtype 6 pointsize 0.5, \
         'law_points.csv' using 'budget':(column('deviation') > 6 ? 6.1 : NaN) with points linetype 2 pointtype 9 pointsize 0.7, \
         'law_points.csv' using 'budget':(column('deviation') < -6 ? -6.1 : NaN) with points linetype 2 pointtype 11 pointsize 0.7
    unset multiplot; unset logscale; set autoscale xy; unset label 1
}
