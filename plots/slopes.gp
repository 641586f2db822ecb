# SPDX-License-Identifier: GPL-3.0-or-later
# Error against width and parameters, from series.csv in the same folder, or against training points, from learning.csv:
# its name is file. What steep has decided stands above as
# variables:
#   name of the pictures, terminals; width, type (height of letters) in 1/96 inch; title; panels, how many, wide and tall;
#   entry, the room for a text of the key; series, how many; beyond, whether a width that overfits lies beyond an axis;
#   of each panel: heading; its place in a row, side_by_side from 0; against width (0), params (1), samples (2) or flops
#   (3); x_from, x_to, y_from, y_to; corner of the key (0: below); from, to: its series;
#   of each series: first and last row of series.csv; colour, mark, dash; several (seeds), floored (its rounding floor is
#   near), predicted, bounded (there are such numbers), hollow (marks of widths that overfit); order of theory's line, 0
#   for none;
#   of each series against width, then of each against params: key; where side is not 0, a triangle from tip to foot, as
#   fractions of the panel, the right angle above (1) or below (-1) the line.
# Texts that end in _tex are LaTeX's.
positive(value) = value > 0 ? value : NaN
kept(i) = hollow[i] && column('overfit') > 0 ? NaN : positive(column('error'))
# A width that overfits beyond an axis stands at its edge.
within(p, value) = value > y_to[p] ? 0.9999 * y_to[p] : value < y_from[p] ? 1.0001 * y_from[p] : value
# Quartiles beyond an axis are not drawn: gnuplot cuts an area between two curves at the wrong place.
inside(p, value) = value >= y_from[p] && value <= y_to[p] && column(size) >= x_from[p] && column(size) <= x_to[p] ? value : NaN
quartile(i, p, name) = !several[i] ? none : hollow[i] && column('overfit') > 0 ? NaN : inside(p, column(name))
# Filled marks, each with a hollow one before it; a solid line and dashes.
array shape[6] = [7, 5, 9, 13, 11, 15]
array shape_size[6] = [0.55, 0.52, 0.68, 0.72, 0.68, 0.66]
line_dash(k) = k == 1 ? 1 : 10 + k
# A colour, near to white.
paler(code, shift) = int(255 - 0.35 * (255 - ((code >> shift) & 255))) << shift
pale(i) = paler(int('0x' . word(colours, i)), 16) + paler(int('0x' . word(colours, i)), 8) + paler(int('0x' . word(colours, i)), 0)
set dashtype 12 (30,10); set dashtype 13 (14,9); set dashtype 14 (30,8,6,8)
# none, a value below the panel, stands for a column that has no number: gnuplot complains of one without any.
given(flag, name) = flag ? positive(column(name)) : none
ceiling(a, b) = (a + b - 1) / b
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
choose_tics = "decades = log10(high) - log10(low); decade_room = length / decades; step = ceil(room / decade_room); \
    digits = 0.046 * decade_room > room ? '123456789' : \
             0.3 * decade_room > room && (counts || decades < 2) ? '125' : '1'; \
    minor = step == 1 && decade_room > 3 * type"
set datafile missing # a row without a number ends a line: no joining over it
width = real(width); wide = real(wide); tall = real(tall) # no division of integers
# Panels from the top down: headings, panels, numbers and names of their axes, keys; then the legend.
array top[panels]
key_columns = floor(wide / entry) > 1 ? floor(wide / entry) : 1
y = (title eq '' ? 0.8 : 2.4) * type
begin = y
do for [p = 1:panels] {
    if (side_by_side[p] == 0) { begin = y + (heading[p] eq '' ? 0 : 1.8 * type) }
    top[p] = begin
    end = begin + tall + (3.7 + (corner[p] == 0 ? 1.4 * ceiling(to[p] - from[p] + 1, key_columns) + 0.8 : 0)) * type
    y = end > y ? end : y
}
quartiles = sum [i = 1:|several|] several[i]
floors = sum [i = 1:|floored|] (floored[i] && first[i] < last[i]) # a single point makes no line
constants = sum [i = 1:|predicted|] (predicted[i] && first[i] < last[i])
slopes = sum [i = 1:|order|] (order[i] > 0 && !predicted[i] && first[i] < last[i])
bounds = sum [i = 1:|bounded|] (bounded[i] && first[i] < last[i])
hollows = sum [i = 1:|hollow|] hollow[i]
legend = ''
legends = 0
grey = ', keyentry with boxes fillstyle solid linecolor rgb '
dashes = ', keyentry with lines linecolor rgb faint linewidth 1.3 dashtype '
if (quartiles) { legend = legend . grey . "0xcccccc title 'quartiles of the seeds'"; legends = legends + 1 }
if (constants) { legend = legend . dashes . "(10,7) title 'theory'"; legends = legends + 1 }
if (slopes) { legend = legend . dashes . "(10,4,2,4) title 'slope of theory'"; legends = legends + 1 }
if (bounds) { legend = legend . dashes . "(2,5) title 'no network below'"; legends = legends + 1 }
if (hollows) { legend = legend . ", keyentry with points pointtype 6 linecolor rgb ink title '" . (beyond ? 'overfits, left out; at the edge: beyond it' : 'overfits, left out') . "'"; legends = legends + 1 }
if (floors) { legend = legend . ", keyentry with lines linecolor rgb 0xd8d8d8 linewidth 3 title 'rounding floor'"; legends = legends + 1 }
legend_columns = floor((width / type - 1) / ((hollows && beyond ? 42 : quartiles ? 22 : hollows ? 18 : 16) * 0.6 + 3.8))
legend_columns = legend_columns < 1 ? 1 : legend_columns > legends ? legends : legend_columns
height = y + (0.7 + (legends ? 1.45 * ceiling(legends, legend_columns) : 0)) * type
do for [t = 1:words(terminals)] {
    latex = is_latex(word(terminals, t))
    eval canvas(word(terminals, t), name, width, height)
    set key spacing raise > 0 ? 0.8 : 1.15 # lines of 1.2 letters
    set multiplot
    set label 1 pick(title, title_tex) at screen 0.5, screen 1 - 1.2 * type / height center noenhanced font sprintf(',%g', 1.1 * type)
    do for [p = 1:panels] {
        eval look
        left = (6.4 * type + side_by_side[p] * (wide + 2.2 * type)) / width
        bottom = 1 - (top[p] + tall) / height
        set lmargin at screen left; set rmargin at screen left + wide / width
        set tmargin at screen bottom + tall / height; set bmargin at screen bottom
        set logscale xy; set xrange [x_from[p]:x_to[p]]; set yrange [y_from[p]:y_to[p]]
        counts = against[p] < 3 && x_to[p] < 1e5; named = 1; low = x_from[p]; high = x_to[p]; length = wide
        room = (0.62 * strlen(sprintf(!counts || low < 0.1 ? '1e+300' : '%.0f', high)) + 0.9) * type
        eval choose_tics; eval list_tics; eval 'set xtics nomirror (' . list . ')'
        named = side_by_side[p] == 0; low = y_from[p]; high = y_to[p]; counts = low > 0.005 && high < 2e4; length = tall; room = 1.4 * type
        eval choose_tics; eval list_tics; eval 'set ytics nomirror (' . list . ')'
        if (named) { set label 3 'RMSE' at screen 0.8 * type / width, screen bottom + 0.5 * tall / height center rotate }
        if (against[p] == 0) { xlabel = pick('width {/:Italic n}', 'width $n$') }
        if (against[p] == 1) { xlabel = pick('parameters {/:Italic P}', 'parameters $P$') }
        if (against[p] == 2) { xlabel = pick('training points {/:Italic N}', 'training points $N$') }
        if (against[p] == 3) { xlabel = 'operations of the fit' }
        set xlabel xlabel offset 0, 0.3 + 0.7 * raise
        set label 2 pick(heading[p], heading_tex[p]) at screen left, screen bottom + (tall + 0.8 * type) / height left
        do for [i = from[p]:to[p]] {
            k = i + against[p] * series
            if (side[k] != 0) {
                angle_x = side[k] > 0 ? foot_x[k] : tip_x[k]; angle_y = side[k] > 0 ? tip_y[k] : foot_y[k]
                set object i polygon from graph tip_x[k], graph tip_y[k] to graph angle_x, graph angle_y \
                    to graph foot_x[k], graph foot_y[k] to graph tip_x[k], graph tip_y[k] \
                    front fillstyle empty border linecolor rgb ink linewidth 0.8
                set label 2 * i + 2 sprintf('%.4g', order[i]) at graph angle_x, graph 0.5 * (tip_y[k] + foot_y[k]) center \
                    offset character (0.3 + 0.5 * strlen(sprintf('%.4g', order[i]))) * side[k], 0 front textcolor rgb ink
                set label 2 * i + 3 '1' at graph 0.5 * (tip_x[k] + foot_x[k]), graph angle_y center \
                    offset character 0, 0.6 * side[k] front textcolor rgb ink
            }
        }
        unset key
        if (corner[p] == 1) { set key at graph 0.02, graph 0.03 left bottom reverse Left vertical maxrows 99 }
        if (corner[p] == 2) { set key at graph 0.99, graph 0.99 right top reverse Left vertical maxrows 99 }
        if (corner[p] == 3) { set key at graph 0.99, graph 0.03 right bottom reverse Left vertical maxrows 99 }
        if (corner[p] == 4) { set key at graph 0.02, graph 0.99 left top reverse Left vertical maxrows 99 }
        none = y_from[p] / 10
        size = word('width params samples flops', against[p] + 1)
        shift = against[p] * series
        plot for [i = from[p]:to[p]] file using size:(given(floored[i], 'floor')) every ::first[i]::last[i] \
                 with lines linewidth 3 linecolor rgb pale(colour[i]) notitle, \
             for [i = from[p]:to[p]] '' using size:(quartile(i, p, 'low')):(quartile(i, p, 'high')) \
                 every ::first[i]::last[i] with filledcurves linetype colour[i] fillstyle transparent solid 0.2 noborder notitle, \
             for [i = from[p]:to[p]] '' using size:(given(bounded[i], 'lower')) every ::first[i]::last[i] \
                 with lines linetype colour[i] linewidth 1 dashtype (2,5) notitle, \
             for [i = from[p]:to[p]] '' using size:(kept(i)) every ::first[i]::last[i] \
                 with lines linetype colour[i] linewidth 0.7 dashtype line_dash(dash[i]) notitle, \
             for [i = from[p]:to[p]] '' using size:(given(predicted[i], 'predicted')) every ::first[i]::last[i] \
                 with lines linetype colour[i] linewidth 1.3 dashtype (10,7) notitle, \
             for [i = from[p]:to[p]] '' using size:(given(order[i] > 0 && !predicted[i], size . '_law')) \
                 every ::first[i]::last[i] with lines linetype colour[i] linewidth 1.3 dashtype (10,4,2,4) notitle, \
             for [i = from[p]:to[p]] '' using size:(kept(i)) every ::first[i]::last[i] \
                 with points linetype colour[i] pointtype shape[mark[i]] pointsize shape_size[mark[i]] notitle, \
             for [i = from[p]:to[p]] '' using size:(hollow[i] && column('overfit') > 0 ? within(p, positive(column('error'))) : none) \
                 every ::first[i]::last[i] with points linetype colour[i] pointtype shape[mark[i]] - 1 pointsize shape_size[mark[i]] notitle, \
             for [i = from[p]:to[p]] none with linespoints linetype colour[i] linewidth 0.7 dashtype line_dash(dash[i]) \
                 pointtype shape[mark[i]] pointsize shape_size[mark[i]] title pick(key[i + shift], key_tex[i + shift])
        eval key_alone
        if (corner[p] == 0) {
            set key at screen (left * width + entry < width ? left : 0.5 * type / width), screen bottom - 4 * type / height \
                left top reverse Left vertical maxrows ceiling(to[p] - from[p] + 1, key_columns)
            plot [0:1][0:1] 2 notitle, for [i = from[p]:to[p]] 2 with linespoints linetype colour[i] linewidth 0.7 dashtype line_dash(dash[i]) \
                 pointtype shape[mark[i]] pointsize shape_size[mark[i]] title pick(key[i + shift], key_tex[i + shift])
        }
    }
    set key at screen 0.5, screen 1 - (y + 0.2 * type) / height center top horizontal reverse Left maxcols legend_columns
    eval 'plot [0:1][0:1] 2 notitle' . legend
    unset multiplot
}
