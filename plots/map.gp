# SPDX-License-Identifier: GPL-3.0-or-later
# One fit in two and more dimensions, from surface.csv, gates.csv and residuals.csv in the same folder. What steep has decided
# stands above as variables: title, across, up (at the axes), known (1: surface.csv has the target), flat (1: two dimensions), gates
# (rows of gates.csv that are drawn), thin (of so many points one is drawn), size of points.
values = "set palette defined (0 '#352A87', 1 '#1B55D7', 2 '#0D84CF', 3 '#18A9B4', 4 '#5ABD8C', 5 '#A8BE6A', 6 '#EBC14F', 7 '#FBE92F')"
errors = "set palette defined (-3 '#1B4F8A', -2 '#5C97C9', -1 '#C6DCEC', 0 '#F7F7F7', 1 '#F6D2BE', 2 '#D9775B', 3 '#8E1B2E')"
stats 'surface.csv' using 1 name 'a' nooutput
stats 'surface.csv' using 2 name 'b' nooutput
stats 'surface.csv' using 'network' name 'n' nooutput
stats 'residuals.csv' using 'y' name 'y' nooutput
stats 'residuals.csv' using 'residual' name 'r' nooutput
low = n_min; high = n_max
if (known) {
    stats 'surface.csv' using 'target' name 't' nooutput
    stats 'surface.csv' using 'residual' name 'e' nooutput
    low = t_min < low ? t_min : low; high = t_max > high ? t_max : high
} else { low = y_min; high = y_max } # between and beyond the points a network may go anywhere
if (!(high > low)) { low = low - 1; high = high + 1 }
greater(p, q) = p > q ? p : q
largest = known && flat ? greater(abs(e_min), abs(e_max)) : greater(abs(r_min), abs(r_max))
exponent = largest > 0 ? floor(log10(largest)) : 0
scaled(v) = v / 10. ** exponent
error_label = exponent == 0 ? 'residual' : sprintf('residual / 10^{%s%d}', exponent < 0 ? '−' : '', abs(exponent))
# Four tics or so, at 1, 2, 5 times a power of ten.
round(q) = q < 1.5 ? 1 : q < 3.5 ? 2 : q < 7.5 ? 5 : 10
step(range) = !(range > 0) ? 1 : round(range / 4 / 10. ** floor(log10(range / 4))) * 10. ** floor(log10(range / 4))
# Contours at the same levels in both maps; with commas between fields, a line of the block is one text.
set contour base; unset surface; set cntrparam levels incremental low + (high - low) / 10, (high - low) / 10, high - (high - low) / 20
set table $network; splot 'surface.csv' using 1:2:'network' with lines; unset table
if (known) { set table $target; splot 'surface.csv' using 1:2:'target' with lines; unset table }
unset contour; set surface
# gnuplot 5.4 reads -6.0e-05 and stops at -6e-05, which its own contours write.
digits(w) = strstrt(w, '.') || !strstrt(w, 'e') ? w : w[1:strstrt(w, 'e') - 1] . '.0' . w[strstrt(w, 'e'):*]
field(i) = real(digits(word(strcol(1), i)))
# Room for numbers of six digits on both sides of a panel.
place = "set lmargin at screen 0.066 + (c - 1) * 0.335; set rmargin at screen 0.266 + (c - 1) * 0.335; \
    set tmargin at screen 0.84; set bmargin at screen 0.155"
name_axis = "set label 1 axis_name at screen 0.008 + (c - 1) * 0.335, screen 0.4975 center rotate "
map = "set xrange [a_min:a_max]; set yrange [b_min:b_max]; set cbrange [low:high]; set xlabel across noenhanced offset 0,raise; \
    axis_name = up; eval name_axis . 'noenhanced'; set xtics step(a_max - a_min); set ytics step(b_max - b_min); set colorbox user origin graph 1.04, graph 0 size graph 0.05, graph 1; \
    set cbtics scale 0.3; unset grid; set border 15; unset key"
chart = "unset colorbox; set border 3; set grid; set xrange [*:*]; set yrange [*:*]; set xtics step(y_max - y_min); set ytics autofreq; \
    set xlabel (known ? '{/:Italic y}' : 'measured {/:Italic y}') enhanced offset 0,raise"
do for [format in 'svg pdf png'] {
    eval canvas(format, 'fit', 1240, 390)
    set multiplot title title noenhanced font ',15'
    set xtics out nomirror; set ytics out nomirror
    c = 1; eval place; eval values; eval map
    if (known) {
        set title (flat ? 'target' : 'target, the other coordinates at the centre') offset 0,-0.6
        plot 'surface.csv' using 1:2:'target' with image, $target using (field(1)):(field(2)) with lines linewidth 0.5 linecolor rgb '#50202020'
    } else { if (flat) {
        set title 'points' offset 0,-0.6
        plot 'residuals.csv' using 1:2:'y' every thin with points pointtype 7 pointsize size linecolor palette
    } else {
        set title 'network against measured values' offset 0,-0.6
        eval chart; axis_name = 'network'; eval name_axis . 'enhanced'
        plot 'residuals.csv' using 'y':'network' every thin with points pointtype 7 pointsize size linecolor rgb '#500072B2', \
             [y_min:y_max] x with lines linewidth 1 linecolor rgb faint
    } }
    c = 2; eval place; eval map
    set title (!known && !flat ? 'network, other columns at their medians' : gates > 0 ? 'network, and where its gates open' : 'network') offset 0,-0.6
    plot 'surface.csv' using 1:2:'network' with image, \
         $network using (field(1)):(field(2)) with lines linewidth 0.5 linecolor rgb '#50202020', \
         'gates.csv' using 'from1':'from2':(column('to1') - column('from1')):(column('to2') - column('from2')) \
             every ::0::(gates > 0 ? gates - 1 : 0) with vectors nohead linewidth (gates <= 30 ? 1.1 : 0.6) linecolor rgb (gates > 0 ? '#ffffff' : '#ffffffff')
    c = 3; eval place
    if (known && flat) {
        eval errors; eval map; set cbrange [largest > 0 ? -scaled(largest) : -1:largest > 0 ? scaled(largest) : 1]
        set title error_label offset 0,-0.6
        plot 'surface.csv' using 1:2:(scaled(column('residual'))) with image
    } else { if (flat) {
        eval errors; eval map; set cbrange [largest > 0 ? -scaled(largest) : -1:largest > 0 ? scaled(largest) : 1]
        set title error_label offset 0,-0.6
        plot 'residuals.csv' using 1:2:(scaled(column('residual'))) every thin with points pointtype 7 pointsize size linecolor palette
    } else {
        eval chart; axis_name = error_label; eval name_axis . 'enhanced'; set title 'residuals' offset 0,-0.6
        plot 'residuals.csv' using 'y':(scaled(column('residual'))) every thin with points pointtype 7 pointsize size linecolor rgb '#500072B2'
    } }
    unset multiplot
}
