# SPDX-License-Identifier: GPL-3.0-or-later
# Error against width and parameters, from series.csv in the same folder. What steep has decided stands above as variables:
#   name of the pictures, terminals; width, height, type (of letters) in 1/96 inch; title, title_size;
#   legend_at (its upper edge), legend_columns, and what it names: quartiles, constants, slopes, bounds, floors;
#   of each panel: heading; left, right, top, bottom (parts of the picture); size (the column of x); x_from, x_to, y_from,
#   y_to; labelled (y has numbers), shaded (the floor is); corner of the key (0: below), key_rows; from, to: its lines;
#   of each line: first and last row of series.csv, style, key, several (seeds); where sloped, theory's order through middle, level
#   (logarithms); where side is not 0, its triangle from tip to foot, the right angle above (1) or below (-1) the line.
# Texts that end in _tex are LaTeX's.
positive(value) = value > 0 ? value : NaN
pick(plain, tex) = latex ? tex : plain
# Tics at every 1 of some digits, in a list that "set xtics" takes: numbers where there is room, short marks elsewhere.
plain_number(digit, decade) = pick(sprintf('%g', digit * 10. ** decade), sprintf('$%g$', digit * 10. ** decade))
power_number(digit, decade) = latex ? sprintf('$%s10^{%d}$', digit > 1 ? sprintf('%d\times ', digit) : '', decade) \
    : sprintf('%s10^{%s%d}', digit > 1 ? sprintf('%d×', digit) : '', decade < 0 ? '−' : '', abs(decade))
list_tics = "list = ''; do for [decade = floor(log10(low)):floor(log10(high))] { do for [digit = 1:9] { \
    at = digit * 10. ** decade; \
    if (at >= low && at <= high) { \
        major = strstrt(digits, sprintf('%d', digit)) > 0 && decade % step == 0; \
        if (major || minor) { list = list . sprintf(\"%s'%s' %.1e %d\", list eq '' ? '' : ', ', \
            major && named ? (counts ? plain_number(digit, decade) : power_number(digit, decade)) : '', at, !major) } } } }"
# digits, step, minor from low, high (of the axis), its length and the room that a number takes.
choose_tics = "decade_room = length / log10(high / low); step = ceil(room / decade_room); \
    digits = 0.046 * decade_room > room ? '123456789' : \
             0.3 * decade_room > room && (counts || high / low < 100) ? '125' : '1'; \
    minor = step == 1 && decade_room > 3 * type"
do for [t = 1:words(terminals)] {
    latex = is_latex(word(terminals, t))
    eval canvas(word(terminals, t), name, width, height)
    set multiplot
    eval look
    set label 1 pick(title, title_tex) at screen 0.5, screen 1 - 1.2 * type / height center font sprintf(',%g', title_size)
    do for [p = 1:panels] {
        set lmargin at screen left[p]; set rmargin at screen right[p]
        set tmargin at screen top[p]; set bmargin at screen bottom[p]
        set logscale xy; set xrange [x_from[p]:x_to[p]]; set yrange [y_from[p]:y_to[p]]
        counts = 1; named = 1; low = x_from[p]; high = x_to[p]; length = (right[p] - left[p]) * width
        room = (0.62 * strlen(sprintf('%.0f', high)) + 0.9) * type
        eval choose_tics; eval list_tics; eval 'set xtics (' . list . ')'
        counts = 0; named = labelled[p]; low = y_from[p]; high = y_to[p]; length = (top[p] - bottom[p]) * height; room = 1.4 * type
        eval choose_tics; eval list_tics; eval 'set ytics (' . list . ')'
        if (labelled[p]) { set ylabel 'RMSE' offset 0.8,0 } else { unset ylabel }
        if (size[p] eq 'width') { set xlabel pick('width {/:Italic n}', 'width $n$') offset 0,0.3 }
        else { set xlabel pick('parameters {/:Italic P}', 'parameters $P$') offset 0,0.3 }
        set label 2 pick(heading[p], heading_tex[p]) at graph 0, graph 1 offset 0, character 0.8 left
        unset object
        do for [i = from[p]:to[p]] {
            if (side[i] != 0) {
                angle_x = side[i] > 0 ? foot_x[i] : tip_x[i]; angle_y = side[i] > 0 ? tip_y[i] : foot_y[i]
                set object i polygon from tip_x[i], tip_y[i] to angle_x, angle_y to foot_x[i], foot_y[i] to tip_x[i], tip_y[i] \
                    front fillstyle empty border linecolor rgb ink linewidth 0.8
                set label 2 * i + 1 sprintf('%g', -order[i]) at angle_x, sqrt(tip_y[i] * foot_y[i]) center \
                    offset character 0.8 * side[i], 0 front textcolor rgb ink
                set label 2 * i + 2 '1' at sqrt(tip_x[i] * foot_x[i]), angle_y center \
                    offset character 0, 0.6 * side[i] front textcolor rgb ink
            }
        }
        if (corner[p] == 0) { set key at screen left[p], screen bottom[p] - 3.6 * type / height left top reverse Left vertical maxrows key_rows[p] }
        if (corner[p] == 1) { set key at graph 0.02, graph 0.03 left bottom reverse Left vertical maxrows 99 }
        if (corner[p] == 2) { set key at graph 0.99, graph 0.99 right top reverse Left vertical maxrows 99 }
        if (corner[p] == 3) { set key at graph 0.99, graph 0.03 right bottom reverse Left vertical maxrows 99 }
        if (corner[p] == 4) { set key at graph 0.02, graph 0.99 left top reverse Left vertical maxrows 99 }
        plot for [i = from[p]:to[p]] 'series.csv' using size[p]:(shaded[p] ? positive(column('floor')) : NaN) \
                 every ::first[i]::last[i] with filledcurves y1=y_from[p] linecolor rgb floor_shade notitle, \
             for [i = from[p]:to[p]] '' using size[p]:(positive(column('low'))):(positive(column('high'))) \
                 every ::first[i]::last[i] with filledcurves linetype style[i] fillstyle transparent solid 0.2 noborder notitle, \
             for [i = from[p]:to[p]] '' using size[p]:(positive(column('lower'))) every ::first[i]::last[i] \
                 with lines linetype style[i] linewidth 1 dashtype (2,5) notitle, \
             for [i = from[p]:to[p]] '' using size[p]:(positive(column('predicted'))) every ::first[i]::last[i] \
                 with lines linetype style[i] linewidth 1 dashtype (10,7) notitle, \
             for [i = from[p]:to[p]] '' using size[p]:(sloped[i] ? exp(level[i] + order[i] * (log(column(size[p])) - middle[i])) : NaN) \
                 every ::first[i]::last[i] with lines linetype style[i] linewidth 1 dashtype (10,4,2,4) notitle, \
             for [i = from[p]:to[p]] '' using size[p]:(several[i] ? positive(column('error')) : NaN) every ::first[i]::last[i] \
                 with lines linetype style[i] linewidth 1 notitle, \
             for [i = from[p]:to[p]] '' using size[p]:(positive(column('error'))) every ::first[i]::last[i] \
                 with points linetype style[i] title pick(key[i], key_tex[i])
        unset label
    }
    unset object; unset border; unset tics; unset xlabel; unset ylabel; unset grid; unset logscale
    set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
    set key at screen 0.5, screen legend_at center top horizontal reverse Left maxcols legend_columns
    legend = 'plot [0:1][0:1] 2 notitle'
    line = ', keyentry with lines linecolor rgb faint linewidth 1 dashtype '
    if (quartiles) { legend = legend . ", keyentry with boxes fillstyle solid linecolor rgb 0xcccccc title 'quartiles of the seeds'" }
    if (constants) { legend = legend . line . "(10,7) title 'theory'" }
    if (slopes) { legend = legend . line . "(10,4,2,4) title 'slope of theory'" }
    if (bounds) { legend = legend . line . "(2,5) title 'no network below'" }
    if (floors) { legend = legend . ", keyentry with boxes fillstyle solid linecolor rgb floor_shade title 'rounding floor'" }
    eval legend
    unset multiplot
}
unset output
