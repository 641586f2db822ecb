# SPDX-License-Identifier: GPL-3.0-or-later
# A random MLP and GLU as surfaces over the plane with their hinges, and a GLU's units on the line (the GLU paper's figure 1):
# surface-*.csv, surface-*-lines.csv, units.csv of experiments/sweeps/surfaces.py.
archs = 'mlp glu'
say(a) = a eq 'mlp' ? 'MLP: planes, cell by cell' : 'GLU: quadratics, cell by cell'
colours = "set palette defined (0 '#274B7A', 1 '#3E86B5', 2 '#8CC2C9', 3 '#EDE6C3', 4 '#E9B268', 5 '#C9693B')"
do for [format in 'svg pdf png'] {
    eval canvas(format, 'surfaces', 1180, 400)
    set multiplot title 'Networks of four units with random parameters' font ',15'
    unset key; unset colorbox; eval colours
    do for [c = 1:2] {
        a = word(archs, c)
        set lmargin; set rmargin; set tmargin; set bmargin
        set origin (c - 1) * 0.345, 0.02; set size 0.345, 0.9
        unset border; unset grid; set border 21; set xyplane relative 0.25; set view 50, 40, 1, 1.1
        set xrange [-1:1]; set yrange [-1:1]; set zrange [*:*]
        set xtics -1, 1, 1 offset 0,-0.3; set ytics -1, 1, 1 offset 0.4,-0.2; unset ztics
        set xlabel '{/:Italic x}_1' offset 0,-0.4; set ylabel '{/:Italic x}_2' offset 0.6 + inward,-0.2
        unset title; set label 1 say(a) at screen 0.1725 + (c - 1) * 0.345, screen 0.865 center
        set pm3d scansautomatic explicit; set pm3d lighting primary 0.45 specular 0.15
        stats 'surface-' . a . '.csv' using 'network' name 'n' nooutput
        floor_of = n_min - 0.25 * (n_max - n_min)
        splot 'surface-' . a . '-lines.csv' using 'x1':'x2':(floor_of) with lines linewidth 1 linecolor rgb faint, \
              'surface-' . a . '.csv' using 'x1':'x2':'network' with pm3d, \
              'surface-' . a . '-lines.csv' using 'x1':'x2':(column('network') + 0.006 * (n_max - n_min)) with lines linewidth 1.8 linecolor rgb '#101010'
    }
    eval look; unset ztics; set origin 0, 0; set size 1, 1
    set lmargin at screen 0.735; set rmargin at screen 0.985; set tmargin at screen 0.84; set bmargin at screen 0.155
    unset label; set title 'GLU on the line, its four units' offset 0,-0.6
    set xlabel '{/:Italic x}' offset 0,raise; set ylabel '{/:Italic D_i h_i}' offset 0.5 + inward,0; set xrange [-1:1]; set yrange [*:*]
    set xtics -1, 0.5, 1 offset 0,0; set ytics autofreq offset 0,0
    plot for [i = 1:4] 'units.csv' using 'x':'unit' . i with lines linetype i linewidth 2
    unset multiplot
}
