# SPDX-License-Identifier: GPL-3.0-or-later
# How often the 95 % interval of a slope holds the order of simulated errors, and half its width; a column for each scatter, a
# mark for each list of sizes, curves side by side: coverage.csv of experiments/coverage.c. Without scatter an interval
# of a pure law is as narrow as rounding is: such widths lie below the panel.
curves = 'pure offset broken floor flat'
grids = "'2-512 by sqrt 2' '1-103 by 3' '8-4096 by 2' '1-50 by 1'"
noises = '0 0.02 0.1'
heads = "'no scatter' 'scatter 2 %' 'scatter 10 %'"
index_of(name) = sum [i = 1:words(curves)] (word(curves, i) eq name ? i : 0)
# Left of the curve's place the window's interval, right of it that of the straight line through all points.
place(noise, grid, side) = column('noise') == noise && strcol('sizes') eq word(grids, grid) && index_of(strcol('curve')) > 0 \
    ? index_of(strcol('curve')) + side * 0.18 + (grid - 2.5) * 0.06 : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'coverage', 1000, 560)
    set multiplot title '95 % intervals of slopes on simulated power laws' font ',15'
    eval look; set xrange [0.5:5.5]; set xtics scale 0
    do for [row = 1:2] {
        set tmargin at screen row == 1 ? 0.84 : 0.47; set bmargin at screen row == 1 ? 0.53 : 0.16
        if (row == 1) { unset logscale y; set yrange [0:1.05]; set ytics 0.25; set xtics ('' 1, '' 2, '' 3, '' 4, '' 5) }
        else { set logscale y; set yrange [1e-4:10]; set ytics autofreq; set xtics ('pure' 1, 'offset' 2, 'broken' 3, 'floor' 4, 'flat' 5) }
        do for [c = 1:3] {
            noise = real(word(noises, c))
            set lmargin at screen 0.080 + (c - 1) * 0.307; set rmargin at screen 0.080 + (c - 1) * 0.307 + 0.285
            if (c == 1) { set ylabel (row == 1 ? 'share that hold the order' : 'half their width') offset 0.5,0; set format y (row == 1 ? '%g' : power) }
            else { unset ylabel; set format y '' }
            if (row == 1) { set title word(heads, c) offset 0,-0.6 font ',13' } else { unset title }
            unset key
            plot (row == 1 ? 0.95 : NaN) with lines linecolor rgb faint linewidth 1 dashtype (10,7) notitle, \
                 for [g = 1:4] 'coverage.csv' using (place(noise, g, -1)):(row == 1 ? column('coverage') : column('half_width')) \
                     with points linetype 1, \
                 for [g = 1:4] '' using (place(noise, g, 1)):(row == 1 ? column('naive_coverage') : column('naive_half_width')) \
                     with points linetype 2
        }
    }
    eval key_alone
    set key at screen 0.53, screen 0.07 center top horizontal maxcols 3 samplen 1 reverse Left
    plot [0:1][0:1] 2 with lines linecolor rgb faint linewidth 1 dashtype (10,7) title '95 %', \
         keyentry with points linetype 1 title 'window of steep', keyentry with points linetype 2 title 'straight line through all points'
    unset multiplot
}
unset output
