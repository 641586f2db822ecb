# SPDX-License-Identifier: GPL-3.0-or-later
# What each unit of a random network adds, a row a kind: piecewise linear, quadratic and cubic (the GLU paper's figures 8 and 9,
# with GQU): hinges-*.csv of experiments/sweeps/surfaces.py.
archs = 'mlp glu gqu'
say(a) = a eq 'mlp' ? 'MLP' : a eq 'glu' ? 'GLU' : 'GQU'
colours = "set palette defined (0 '#274B7A', 1 '#3E86B5', 2 '#8CC2C9', 3 '#EDE6C3', 4 '#E9B268', 5 '#C9693B')"
do for [format in 'svg pdf png'] {
    eval canvas(format, 'neurons', 1100, 700)
    set multiplot
    unset key; unset colorbox; eval colours; unset grid; set border 21
    set xrange [-1:1]; set yrange [-1:1]; set zrange [*:*]; unset ztics; set xyplane relative 0.05
    set xtics -1, 1, 1 offset 0,-0.3 font ',10'; set ytics -1, 1, 1 offset 0.4,-0.2 font ',10'
    set pm3d scansautomatic explicit; set pm3d lighting primary 0.45 specular 0.15; set view 48, 35, 1.05, 1.1
    do for [r = 1:3] {
        a = word(archs, r)
        do for [i = 1:4] {
            set origin 0.03 + (i - 1) * 0.24, 0.64 - (r - 1) * 0.322; set size 0.25, 0.33
            unset label
            if (r == 1) { set label 2 sprintf('unit %d', i) at screen 0.155 + (i - 1) * 0.24, screen 0.978 center }
            if (i == 1) { set label 1 say(a) at screen 0.012, screen 0.81 - (r - 1) * 0.32 rotate by 90 center font ',15' }
            stats 'hinges-' . a . '.csv' using 'unit' . i name 'u' nooutput
            splot 'hinges-' . a . '.csv' using 'x1':'x2':'unit' . i with pm3d, \
                  'hinges-' . a . '-lines.csv' using 'x1':'x2':(column('unit') == i ? 0.004 * (u_max - u_min) : NaN) with lines linewidth 1.8 linecolor rgb '#101010'
        }
    }
    unset multiplot
}
