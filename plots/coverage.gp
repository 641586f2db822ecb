# SPDX-License-Identifier: GPL-3.0-or-later
# How often the 95 % interval of an order holds that of simulated errors, and half its width, a column for each scatter;
# a mark for each list of sizes, curves side by side: coverage.csv of experiments/sweeps/coverage.py.
curves = 'power offset negative log broken twice flat floor last apart'
grids = "'16-256 by 2' '8-4096 by 2' '2-512 by sqrt 2' '1-103 by 3' '1-50 by 1'"
noises = '0.005 0.02 0.1'
heads = "'scatter 0.5 %' 'scatter 2 %' 'scatter 10 %'"
index_of(name) = sum [i = 1:words(curves)] (word(curves, i) eq name ? i : 0)
# Left of the curve's place the interval of steep, right of it that of the straight line; above, that of who knows the kind.
place(noise, grid, side) = column('noise') == noise && strcol('sizes') eq word(grids, grid) && index_of(strcol('curve')) > 0 \
    ? index_of(strcol('curve')) + side * 0.22 + (grid - 3) * 0.06 : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'coverage', 1200, 620)
    set multiplot title '95 % intervals of orders on simulated power laws' font ',15'
    eval look; set xrange [0.4:10.6]; set xtics scale 0 rotate by -40
    do for [row = 1:2] {
        set tmargin at screen row == 1 ? 0.86 : 0.53; set bmargin at screen row == 1 ? 0.57 : 0.24
        if (row == 1) { unset logscale y; set yrange [0:1.05]; set ytics 0.25; set xtics (''  1) }
        else { set logscale y; set yrange [1e-4:10]; set ytics autofreq; set xtics ('power' 1, 'offset' 2, 'negative' 3, 'log' 4, 'broken' 5, 'twice' 6, 'flat' 7, 'floor' 8, 'last' 9, 'apart' 10) }
        do for [c = 1:3] {
            noise = real(word(noises, c))
            set lmargin at screen 0.070 + (c - 1) * 0.310; set rmargin at screen 0.070 + (c - 1) * 0.310 + 0.290
            if (c == 1) { set ylabel (row == 1 ? 'share that hold the order' : 'half their width') offset 0.5,0; set format y (row == 1 ? '%g' : power) }
            else { unset ylabel; set format y '' }
            if (row == 1) { set title word(heads, c) offset 0,-0.6 font ',13' } else { unset title }
            unset key
            plot (row == 1 ? 0.95 : NaN) with lines linecolor rgb faint linewidth 1 dashtype (10,7) notitle, \
                 for [g = 1:5] 'coverage.csv' using (place(noise, g, -1)):(row == 1 ? column('coverage') : column('half_width')) \
                     with points linetype 1, \
                 for [g = 1:5] '' using (place(noise, g, 0)):(row == 1 ? NaN : column('known_half_width')) \
                     with points linetype 3, \
                 for [g = 1:5] '' using (place(noise, g, 1)):(row == 1 ? column('naive_coverage') : column('naive_half_width')) \
                     with points linetype 2
        }
    }
    eval key_alone
    set key at screen 0.53, screen 0.08 center top horizontal maxcols 4 samplen 1 reverse Left
    plot [0:1][0:1] 2 with lines linecolor rgb faint linewidth 1 dashtype (10,7) title '95 %', \
         keyentry with points linetype 1 title 'steep', keyentry with points linetype 3 title 'who knows the kind', \
         keyentry with points linetype 2 title 'straight line through all points'
    unset multiplot
}
