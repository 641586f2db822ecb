# SPDX-License-Identifier: GPL-3.0-or-later
# Random networks of four units, their surfaces and the hinges on them (the GLU paper's figure 7, with GQU): hinges-*.csv and
# hinges-*-lines.csv of experiments/sweeps/surfaces.py. Below each surface the same as a map.
archs = 'mlp glu gqu'
say(a) = a eq 'mlp' ? 'MLP' : a eq 'glu' ? 'GLU' : 'GQU'
colours = "set palette defined (0 '#274B7A', 1 '#3E86B5', 2 '#8CC2C9', 3 '#EDE6C3', 4 '#E9B268', 5 '#C9693B')"
do for [format in 'svg pdf png'] {
    eval canvas(format, 'hinges', 1100, 640)
    set multiplot
    unset key; unset colorbox; eval colours
    do for [c = 1:3] {
        a = word(archs, c)
        stats 'hinges-' . a . '.csv' using 'network' name 'n' nooutput
        set lmargin; set rmargin; set tmargin; set bmargin
        set origin 0.005 + (c - 1) * 0.33, 0.43; set size 0.33, 0.53
        unset border; unset grid; set xyplane relative 0.1; set view 48, 35, 1, 1.1
        set xrange [-1:1]; set yrange [-1:1]; set zrange [*:*]
        set border 21; set xtics -1, 1, 1 offset 0,-0.3; set ytics -1, 1, 1 offset 0.4,-0.2; unset ztics; unset xlabel; unset ylabel
        set label 1 say(a) at screen 0.17 + (c - 1) * 0.33, screen 0.972 center font ',15'
        set pm3d scansautomatic explicit; set pm3d lighting primary 0.45 specular 0.15
        splot 'hinges-' . a . '.csv' using 'x1':'x2':'network' with pm3d, \
              'hinges-' . a . '-lines.csv' using 'x1':'x2':(column('network') + 0.006 * (n_max - n_min)) with lines linewidth 1.8 linecolor rgb '#101010'
        unset label; set border 15; unset pm3d; set origin 0, 0; set size 1, 1
        set lmargin at screen 0.075 + (c - 1) * 0.33; set rmargin at screen 0.265 + (c - 1) * 0.33
        set tmargin at screen 0.41; set bmargin at screen 0.085
        set xtics -1, 1, 1 offset 0,0; set ytics -1, 1, 1 offset 0,0
        set xlabel '{/:Italic x}_1' offset 0,0.3; set ylabel '{/:Italic x}_2' offset 1 + inward,0
        set contour base; unset surface; set cntrparam levels incremental n_min, (n_max - n_min) / 12, n_max
        set table $lines; splot 'hinges-' . a . '.csv' using 'x1':'x2':'network' with lines; unset table
        unset contour; set surface
        plot 'hinges-' . a . '.csv' using 'x1':'x2':'network' with image, \
             $lines using (real(word(strcol(1), 1))):(real(word(strcol(1), 2))) with lines linewidth 0.6 linecolor rgb '#60303030', \
             'hinges-' . a . '-lines.csv' using 'x1':'x2' with lines linewidth 1.8 linecolor rgb '#101010'
    }
    unset multiplot
}
