# SPDX-License-Identifier: GPL-3.0-or-later
# Learned activations through points of a classic one: curves.csv and nodes.csv of experiments/sweeps/interpolation.py. A panel each of the paper's figures 1
# (two), 2 (two), 5 and 6: the function and its slope in grey, the interpolant in colour, the interval shaded.
titles = "'hermite, degree 3' 'hermite, degree 8' 'fourier, degree 6: values' 'fourier, degree 6: values and slopes' 'tropical rational, degree 6'"
figures = '1 1 2 2 5 6'
reaches = '1.7320508 2.8284271 3.1415927 3.1415927 3 3'
mine(i) = column('panel') == i ? column('x') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'interpolation', 1080, 640)
    set multiplot title 'gelu, and x^2/2, by learned activations: values (blue) and slopes (orange)' font ',15'
    eval look
    do for [i = 1:6] {
        c = (i - 1) % 3; r = (i - 1) / 3
        set lmargin at screen 0.045 + 0.325 * c; set rmargin at screen 0.325 + 0.325 * c
        set tmargin at screen r == 0 ? 0.87 : 0.43; set bmargin at screen r == 0 ? 0.535 : 0.075
        reach = real(word(reaches, i))
        unset label; unset object; unset key
        set object 1 rectangle from -reach, graph 0 to reach, graph 1 behind fillcolor rgb '#f3f3f3' fillstyle solid 1 noborder
        set label 1 (i == 6 ? 'x^2/2 by max(kx - k^2/2)' : word(titles, i)) at graph 0.01, graph 1.055 left font ',13'
        set label 2 'figure ' . word(figures, i) at graph 0.99, graph 1.055 right textcolor rgb faint font ',11'
        set xrange [-1.35 * reach:1.35 * reach]; set yrange [*:*]
        if (i <= 5) { set yrange [-1.2:4.2] } else { set yrange [-4.3:8.5] }
        plot 'curves.csv' using (mine(i)):'f' with lines linewidth 4 linecolor rgb '#c4c4c4' notitle, \
             '' using (mine(i)):'slope' with lines linewidth 4 linecolor rgb '#dcdcdc' notitle, \
             '' using (mine(i)):'F_slope' with lines linetype 2 notitle, \
             '' using (mine(i)):'F' with lines linetype 1 linewidth 1.8 notitle, \
             'nodes.csv' using (mine(i)):'f' with points linetype 1 pointtype 7 pointsize 0.6 notitle
    }
    unset multiplot
}
