/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made from plots/style.gp, slopes.gp, fit.gp, map.gp and separation.gp by plots/style.sh; edit there. */
#ifndef STEEP_DRAW_SCRIPTS_H
#define STEEP_DRAW_SCRIPTS_H
#define STEEP_FIGURE_STYLE \
    "# SPDX-License-Identifier: GPL-3.0-or-later\n" \
    "# The look that all figures share: Okabe and Ito's colours, which stay apart for colour-blind " \
    "readers and\n" \
    "# in grey, with a mark of its own for each; thin axes, light grid, no box. After a change here run\n" \
    "# plots/style.sh: it makes src/draw/scripts.h.\n" \
    "set encoding utf8\n" \
    "set minussign\n" \
    "set datafile separator comma\n" \
    "set datafile missing NaN\n" \
    "look = \"set border 3 linewidth 0.8 linecolor rgb '#404040'; \\\n" \
    "    set tics out nomirror scale 0.6, 0.3 textcolor rgb '#202020'; set xtics nomirror; set ytics " \
    "nomirror; \\\n" \
    "    set grid xtics ytics back linetype 1 linewidth 0.5 linecolor rgb '#e6e6e6'\"\n" \
    "eval look\n" \
    "# Before a plot that shows nothing but a key, anywhere in the picture; \"eval look\" afterwards.\n" \
    "key_alone = \"unset border; unset tics; unset grid; unset xlabel; unset ylabel; unset title; unset " \
    "label; unset object; \\\n" \
    "    unset logscale; set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set " \
    "bmargin at screen 0\"\n" \
    "set key samplen 1.6 spacing 1.15 height 0.4 textcolor rgb '#202020' noenhanced\n" \
    "colours = '0072B2 D55E00 009E73 CC79A7 E69F00 56B4E9 000000 8A6D00 7F7F7F'\n" \
    "marks = '7 5 9 13 11 6 4 8 12'\n" \
    "mark_sizes = '0.55 0.52 0.68 0.72 0.68 0.60 0.55 0.66 0.66'\n" \
    "do for [i = 1:9] {\n" \
    "    set linetype i linecolor rgb '#' . word(colours, i) linewidth 1.4 pointtype int(word(marks, i)) " \
    "pointsize real(word(mark_sizes, i))\n" \
    "}\n" \
    "set linetype cycle 9\n" \
    "ink = 0x404040\n" \
    "faint = 0x8c8c8c\n" \
    "floor_shade = 0xececec\n" \
    "# Numbers on logarithmic axes: widths and parameters as they are, 10, 100, 1000; all else as powers " \
    "of ten.\n" \
    "power = '10^{%T}'\n" \
    "# The command that opens one output of a figure: canvas('svg', 'slopes', 900, 400), sizes and the " \
    "font's in 1/96 inch.\n" \
    "# LaTeX sets the text of cairolatex and tikz: NAME-cairolatex.tex (with its .pdf) and NAME-tikz.tex.\n" \
    "type = 13.\n" \
    "is_latex(format) = format eq 'cairolatex' || format eq 'tikz'\n" \
    "canvas(format, name, w, h) = \\\n" \
    "    (format eq 'svg' ? \\\n" \
    "     sprintf(\"set terminal svg size %d,%d enhanced font 'Helvetica,%g' background '#ffffff'\", w, " \
    "h, type) : \\\n" \
    "     format eq 'pdf' ? \\\n" \
    "     sprintf(\"set terminal pdfcairo size %.4fin,%.4fin enhanced font 'Helvetica,%g' fontscale " \
    "0.75\", \\\n" \
    "             w / 96., h / 96., type) : \\\n" \
    "     format eq 'png' ? \\\n" \
    "     sprintf(\"set terminal pngcairo size %d,%d enhanced font 'Helvetica,%g' fontscale 1.5\", 2 * " \
    "w, 2 * h, type) \\\n" \
    "         . ' linewidth 2 pointscale 2' : \\\n" \
    "     format eq 'cairolatex' ? \\\n" \
    "     sprintf(\"set terminal cairolatex pdf size %.4fin,%.4fin font ',%g'\", w / 96., h / 96., 0.75 " \
    "* type) : \\\n" \
    "     sprintf(\"set terminal tikz size %.4fin,%.4fin font '\\\\fontsize{%g}{%g}\\\\selectfont'\", \\\n" \
    "             w / 96., h / 96., 0.75 * type, 0.9 * type)) \\\n" \
    "    . sprintf(\"; set output '%s%s.%s'\", name, is_latex(format) ? '-' . format : '', " \
    "is_latex(format) ? 'tex' : format)\n"
#define STEEP_FIGURE_SLOPES \
    "# SPDX-License-Identifier: GPL-3.0-or-later\n" \
    "# Error against width and parameters, from series.csv in the same folder. What steep has decided " \
    "stands above as\n" \
    "# variables:\n" \
    "#   name of the pictures, terminals; width, type (height of letters) in 1/96 inch; title; panels, " \
    "how many, wide and tall;\n" \
    "#   entry, the room for a text of the key; series, how many; beyond, whether a width that overfits " \
    "lies beyond an axis;\n" \
    "#   of each panel: heading; its place in a row, side_by_side from 0; against width (0) or params " \
    "(1); x_from, x_to, y_from,\n" \
    "#   y_to; corner of the key (0: below); from, to: its series;\n" \
    "#   of each series: first and last row of series.csv; colour, mark, dash; several (seeds), floored " \
    "(its rounding floor is\n" \
    "#   near), predicted, bounded (there are such numbers), hollow (marks of widths that overfit); " \
    "order of theory's line, 0\n" \
    "#   for none;\n" \
    "#   of each series against width, then of each against params: key; where side is not 0, a triangle " \
    "from tip to foot, as\n" \
    "#   fractions of the panel, the right angle above (1) or below (-1) the line.\n" \
    "# Texts that end in _tex are LaTeX's.\n" \
    "positive(value) = value > 0 ? value : NaN\n" \
    "kept(i) = hollow[i] && column('overfit') > 0 ? NaN : positive(column('error'))\n" \
    "# A width that overfits beyond an axis stands at its edge.\n" \
    "within(p, value) = value > y_to[p] ? 0.9999 * y_to[p] : value < y_from[p] ? 1.0001 * y_from[p] : " \
    "value\n" \
    "# Quartiles beyond an axis are not drawn: gnuplot cuts an area between two curves at the wrong " \
    "place.\n" \
    "inside(p, value) = value >= y_from[p] && value <= y_to[p] && column(size) >= x_from[p] && " \
    "column(size) <= x_to[p] ? value : NaN\n" \
    "quartile(i, p, name) = !several[i] ? none : hollow[i] && column('overfit') > 0 ? NaN : inside(p, " \
    "column(name))\n" \
    "# Filled marks, each with a hollow one before it; a solid line and dashes.\n" \
    "array shape[6] = [7, 5, 9, 13, 11, 15]\n" \
    "array shape_size[6] = [0.55, 0.52, 0.68, 0.72, 0.68, 0.66]\n" \
    "line_dash(k) = k == 1 ? 1 : 10 + k\n" \
    "# A colour, near to white.\n" \
    "paler(code, shift) = int(255 - 0.35 * (255 - ((code >> shift) & 255))) << shift\n" \
    "pale(i) = paler(int('0x' . word(colours, i)), 16) + paler(int('0x' . word(colours, i)), 8) + " \
    "paler(int('0x' . word(colours, i)), 0)\n" \
    "set dashtype 12 (30,10); set dashtype 13 (14,9); set dashtype 14 (30,8,6,8)\n" \
    "# none, a value below the panel, stands for a column that has no number: gnuplot complains of one " \
    "without any.\n" \
    "given(flag, name) = flag ? positive(column(name)) : none\n" \
    "ceiling(a, b) = (a + b - 1) / b\n" \
    "pick(plain, tex) = latex ? tex : plain\n" \
    "# Tics at every 1 of some digits, in a list that \"set xtics\" takes: numbers where there is room, " \
    "short marks elsewhere.\n" \
    "plain_number(digit, decade) = pick(sprintf('%g', digit * 10. ** decade), sprintf('$%g$', digit * " \
    "10. ** decade))\n" \
    "power_number(digit, decade) = latex ? sprintf('$%s10^{%d}$', digit > 1 ? sprintf('%d\\times ', " \
    "digit) : '', decade) \\\n" \
    "    : sprintf('%s10^{%s%d}', digit > 1 ? sprintf('%d×', digit) : '', decade < 0 ? '−' : '', " \
    "abs(decade))\n" \
    "list_tics = \"list = ''; do for [decade = floor(log10(low)):floor(log10(high))] { do for [digit = " \
    "1:9] { \\\n" \
    "    at = digit * 10. ** decade; \\\n" \
    "    if (at >= low && at <= high) { \\\n" \
    "        major = strstrt(digits, sprintf('%d', digit)) > 0 && decade % step == 0; \\\n" \
    "        if (major || minor) { list = list . sprintf(\\\"%s'%s' %.1e %d\\\", list eq '' ? '' : ', ', " \
    "\\\n" \
    "            major && named ? (counts ? plain_number(digit, decade) : power_number(digit, decade)) : " \
    "'', at, !major) } } } }\"\n" \
    "# digits, step, minor from low, high (of the axis), its length and the room that a number takes.\n" \
    "choose_tics = \"decades = log10(high) - log10(low); decade_room = length / decades; step = " \
    "ceil(room / decade_room); \\\n" \
    "    digits = 0.046 * decade_room > room ? '123456789' : \\\n" \
    "             0.3 * decade_room > room && (counts || decades < 2) ? '125' : '1'; \\\n" \
    "    minor = step == 1 && decade_room > 3 * type\"\n" \
    "set datafile missing # a row without a number ends a line: no joining over it\n" \
    "width = real(width); wide = real(wide); tall = real(tall) # no division of integers\n" \
    "# Panels from the top down: headings, panels, numbers and names of their axes, keys; then the " \
    "legend.\n" \
    "array top[panels]\n" \
    "key_columns = floor(wide / entry) > 1 ? floor(wide / entry) : 1\n" \
    "y = (title eq '' ? 0.8 : 2.4) * type\n" \
    "begin = y\n" \
    "do for [p = 1:panels] {\n" \
    "    if (side_by_side[p] == 0) { begin = y + (heading[p] eq '' ? 0 : 1.8 * type) }\n" \
    "    top[p] = begin\n" \
    "    end = begin + tall + (3.7 + (corner[p] == 0 ? 1.4 * ceiling(to[p] - from[p] + 1, key_columns) + " \
    "0.8 : 0)) * type\n" \
    "    y = end > y ? end : y\n" \
    "}\n" \
    "quartiles = sum [i = 1:|several|] several[i]\n" \
    "floors = sum [i = 1:|floored|] floored[i]\n" \
    "constants = sum [i = 1:|predicted|] predicted[i]\n" \
    "slopes = sum [i = 1:|order|] (order[i] > 0 && !predicted[i])\n" \
    "bounds = sum [i = 1:|bounded|] bounded[i]\n" \
    "hollows = sum [i = 1:|hollow|] hollow[i]\n" \
    "legend = ''\n" \
    "legends = 0\n" \
    "grey = ', keyentry with boxes fillstyle solid linecolor rgb '\n" \
    "dashes = ', keyentry with lines linecolor rgb faint linewidth 1.3 dashtype '\n" \
    "if (quartiles) { legend = legend . grey . \"0xcccccc title 'quartiles of the seeds'\"; legends = " \
    "legends + 1 }\n" \
    "if (constants) { legend = legend . dashes . \"(10,7) title 'theory'\"; legends = legends + 1 }\n" \
    "if (slopes) { legend = legend . dashes . \"(10,4,2,4) title 'slope of theory'\"; legends = legends " \
    "+ 1 }\n" \
    "if (bounds) { legend = legend . dashes . \"(2,5) title 'no network below'\"; legends = legends + 1 }\n" \
    "if (hollows) { legend = legend . \", keyentry with points pointtype 6 linecolor rgb ink title '\" . " \
    "(beyond ? 'overfits, left out; at the edge: beyond it' : 'overfits, left out') . \"'\"; legends = " \
    "legends + 1 }\n" \
    "if (floors) { legend = legend . \", keyentry with lines linecolor rgb 0xd8d8d8 linewidth 3 title " \
    "'rounding floor'\"; legends = legends + 1 }\n" \
    "legend_columns = floor((width / type - 1) / ((beyond ? 42 : quartiles ? 22 : 16) * 0.58 + 3.4))\n" \
    "legend_columns = legend_columns < 1 ? 1 : legend_columns > legends ? legends : legend_columns\n" \
    "height = y + (0.7 + (legends ? 1.45 * ceiling(legends, legend_columns) : 0)) * type\n" \
    "do for [t = 1:words(terminals)] {\n" \
    "    latex = is_latex(word(terminals, t))\n" \
    "    eval canvas(word(terminals, t), name, width, height)\n" \
    "    set key spacing word(terminals, t) eq 'svg' ? 0.8 : 1.15 # lines of 1.2 letters: SVG's are " \
    "higher than other terminals'\n" \
    "    set multiplot\n" \
    "    set label 1 pick(title, title_tex) at screen 0.5, screen 1 - 1.2 * type / height center " \
    "noenhanced font sprintf(',%g', 1.1 * type)\n" \
    "    do for [p = 1:panels] {\n" \
    "        eval look\n" \
    "        left = (6.4 * type + side_by_side[p] * (wide + 2.2 * type)) / width\n" \
    "        bottom = 1 - (top[p] + tall) / height\n" \
    "        set lmargin at screen left; set rmargin at screen left + wide / width\n" \
    "        set tmargin at screen bottom + tall / height; set bmargin at screen bottom\n" \
    "        set logscale xy; set xrange [x_from[p]:x_to[p]]; set yrange [y_from[p]:y_to[p]]\n" \
    "        counts = 1; named = 1; low = x_from[p]; high = x_to[p]; length = wide\n" \
    "        room = (0.62 * strlen(sprintf(low < 0.1 || high > 1e6 ? '1e+300' : '%.0f', high)) + 0.9) * " \
    "type\n" \
    "        eval choose_tics; eval list_tics; eval 'set xtics nomirror (' . list . ')'\n" \
    "        counts = 0; named = side_by_side[p] == 0; low = y_from[p]; high = y_to[p]; length = tall; " \
    "room = 1.4 * type\n" \
    "        eval choose_tics; eval list_tics; eval 'set ytics nomirror (' . list . ')'\n" \
    "        if (named) { set label 3 'RMSE' at screen 0.8 * type / width, screen bottom + 0.5 * tall / " \
    "height center rotate }\n" \
    "        if (against[p] == 0) { set xlabel pick('width {/:Italic n}', 'width $n$') offset 0,0.3 }\n" \
    "        else { set xlabel pick('parameters {/:Italic P}', 'parameters $P$') offset 0,0.3 }\n" \
    "        set label 2 pick(heading[p], heading_tex[p]) at screen left, screen bottom + (tall + 0.8 * " \
    "type) / height left\n" \
    "        do for [i = from[p]:to[p]] {\n" \
    "            k = i + against[p] * series\n" \
    "            if (side[k] != 0) {\n" \
    "                angle_x = side[k] > 0 ? foot_x[k] : tip_x[k]; angle_y = side[k] > 0 ? tip_y[k] : " \
    "foot_y[k]\n" \
    "                set object i polygon from graph tip_x[k], graph tip_y[k] to graph angle_x, graph " \
    "angle_y \\\n" \
    "                    to graph foot_x[k], graph foot_y[k] to graph tip_x[k], graph tip_y[k] \\\n" \
    "                    front fillstyle empty border linecolor rgb ink linewidth 0.8\n" \
    "                set label 2 * i + 2 sprintf('%g', order[i]) at graph angle_x, graph 0.5 * (tip_y[k] " \
    "+ foot_y[k]) center \\\n" \
    "                    offset character (0.3 + 0.5 * strlen(sprintf('%g', order[i]))) * side[k], 0 " \
    "front textcolor rgb ink\n" \
    "                set label 2 * i + 3 '1' at graph 0.5 * (tip_x[k] + foot_x[k]), graph angle_y center " \
    "\\\n" \
    "                    offset character 0, 0.6 * side[k] front textcolor rgb ink\n" \
    "            }\n" \
    "        }\n" \
    "        unset key\n" \
    "        if (corner[p] == 1) { set key at graph 0.02, graph 0.03 left bottom reverse Left vertical " \
    "maxrows 99 }\n" \
    "        if (corner[p] == 2) { set key at graph 0.99, graph 0.99 right top reverse Left vertical " \
    "maxrows 99 }\n" \
    "        if (corner[p] == 3) { set key at graph 0.99, graph 0.03 right bottom reverse Left vertical " \
    "maxrows 99 }\n" \
    "        if (corner[p] == 4) { set key at graph 0.02, graph 0.99 left top reverse Left vertical " \
    "maxrows 99 }\n" \
    "        none = y_from[p] / 10\n" \
    "        size = against[p] == 0 ? 'width' : 'params'\n" \
    "        shift = against[p] * series\n" \
    "        plot for [i = from[p]:to[p]] 'series.csv' using size:(given(floored[i], 'floor')) every " \
    "::first[i]::last[i] \\\n" \
    "                 with lines linewidth 3 linecolor rgb pale(colour[i]) notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(quartile(i, p, 'low')):(quartile(i, p, 'high')) " \
    "\\\n" \
    "                 every ::first[i]::last[i] with filledcurves linetype colour[i] fillstyle " \
    "transparent solid 0.2 noborder notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(given(bounded[i], 'lower')) every " \
    "::first[i]::last[i] \\\n" \
    "                 with lines linetype colour[i] linewidth 1 dashtype (2,5) notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(kept(i)) every ::first[i]::last[i] \\\n" \
    "                 with lines linetype colour[i] linewidth 0.7 dashtype line_dash(dash[i]) notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(given(predicted[i], 'predicted')) every " \
    "::first[i]::last[i] \\\n" \
    "                 with lines linetype colour[i] linewidth 1.3 dashtype (10,7) notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(given(order[i] > 0 && !predicted[i], size . " \
    "'_law')) \\\n" \
    "                 every ::first[i]::last[i] with lines linetype colour[i] linewidth 1.3 dashtype " \
    "(10,4,2,4) notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(kept(i)) every ::first[i]::last[i] \\\n" \
    "                 with points linetype colour[i] pointtype shape[mark[i]] pointsize " \
    "shape_size[mark[i]] notitle, \\\n" \
    "             for [i = from[p]:to[p]] '' using size:(hollow[i] && column('overfit') > 0 ? within(p, " \
    "positive(column('error'))) : none) \\\n" \
    "                 every ::first[i]::last[i] with points linetype colour[i] pointtype shape[mark[i]] " \
    "- 1 pointsize shape_size[mark[i]] notitle, \\\n" \
    "             for [i = from[p]:to[p]] none with linespoints linetype colour[i] linewidth 0.7 " \
    "dashtype line_dash(dash[i]) \\\n" \
    "                 pointtype shape[mark[i]] pointsize shape_size[mark[i]] title pick(key[i + shift], " \
    "key_tex[i + shift])\n" \
    "        eval key_alone\n" \
    "        if (corner[p] == 0) {\n" \
    "            set key at screen (left * width + entry < width ? left : 0.5 * type / width), screen " \
    "bottom - 4 * type / height \\\n" \
    "                left top reverse Left vertical maxrows ceiling(to[p] - from[p] + 1, key_columns)\n" \
    "            plot [0:1][0:1] 2 notitle, for [i = from[p]:to[p]] 2 with linespoints linetype " \
    "colour[i] linewidth 0.7 dashtype line_dash(dash[i]) \\\n" \
    "                 pointtype shape[mark[i]] pointsize shape_size[mark[i]] title pick(key[i + shift], " \
    "key_tex[i + shift])\n" \
    "        }\n" \
    "    }\n" \
    "    set key at screen 0.5, screen 1 - (y + 0.2 * type) / height center top horizontal reverse Left " \
    "maxcols legend_columns\n" \
    "    eval 'plot [0:1][0:1] 2 notitle' . legend\n" \
    "    unset multiplot\n" \
    "}\n" \
    "unset output\n"
#define STEEP_FIGURE_FIT \
    "# SPDX-License-Identifier: GPL-3.0-or-later\n" \
    "# One fit, from residuals.csv, units.csv and, where there are any, gates.csv in the same folder. " \
    "What steep has decided stands\n" \
    "# above as variables: title, terminals, units (how many curves; 0: there is no panel of them), " \
    "gates (how many rows of gates.csv\n" \
    "# are drawn as lines), thin and thin_units (of so many points one is drawn).\n" \
    "stats 'residuals.csv' using 'x' name 'x' nooutput\n" \
    "stats 'residuals.csv' using 'residual' name 'r' nooutput\n" \
    "largest = abs(r_min) > abs(r_max) ? abs(r_min) : abs(r_max)\n" \
    "exponent = largest > 0 ? floor(log10(largest)) : 0\n" \
    "do for [i = 1:gates] {\n" \
    "    stats 'gates.csv' using 'knot' every ::i - 1::i - 1 name 'gate' nooutput\n" \
    "    if (gate_min >= x_min && gate_min <= x_max) {\n" \
    "        set arrow from first gate_min, graph 0 to first gate_min, graph 1 nohead back linewidth 0.7 " \
    "dashtype (4,4) linecolor rgb faint\n" \
    "    }\n" \
    "}\n" \
    "do for [format in terminals] {\n" \
    "    eval canvas(format, 'fit', 900, 440)\n" \
    "    set multiplot title title noenhanced font ',15'\n" \
    "    set xrange [x_min:x_max]\n" \
    "    set lmargin at screen 0.075; set rmargin at screen units > 0 ? 0.51 : 0.985; set tmargin at " \
    "screen 0.875; set bmargin at screen 0.44\n" \
    "    set key at graph 1, graph 1.01 right bottom horizontal samplen 2\n" \
    "    set format x ''; unset xlabel; set ylabel '{/:Italic y}' offset 0.5,0\n" \
    "    plot 'residuals.csv' using 'x':'y' every thin with lines linewidth 5 linecolor rgb 0xcfcfcf " \
    "title 'target', \\\n" \
    "         '' using 'x':'network' every thin with lines linetype 2 linewidth 1.3 title 'network'\n" \
    "    set key off; set tmargin at screen 0.385; set bmargin at screen 0.135\n" \
    "    set format x '%g'; set xlabel '{/:Italic x}'\n" \
    "    set ylabel sprintf('residual / 10^{%s%d}', exponent < 0 ? '−' : '', abs(exponent)) offset -1,0\n" \
    "    set ytics -8, largest < 3 * 10. ** exponent ? 1 : largest < 6 * 10. ** exponent ? 2 : 4\n" \
    "    plot 'residuals.csv' using 'x':(column('residual') / 10. ** exponent) every thin with lines " \
    "linetype 1 linewidth 1.1\n" \
    "    if (units > 0) {\n" \
    "        set lmargin at screen 0.59; set rmargin at screen 0.985; set tmargin at screen 0.875; set " \
    "bmargin at screen 0.135\n" \
    "        set ylabel '{/:Italic D_i h_i}' offset 0.5,0; set ytics autofreq\n" \
    "        plot for [i = 1:units] 'units.csv' using 1:i + 1 every thin_units with lines linetype " \
    "(units <= 12 ? i : 1) linewidth (units <= 12 ? 1.3 : 0.5)\n" \
    "    }\n" \
    "    unset multiplot\n" \
    "}\n" \
    "unset output\n"
#define STEEP_FIGURE_MAP \
    "# SPDX-License-Identifier: GPL-3.0-or-later\n" \
    "# One fit in two and more dimensions, from surface.csv, gates.csv and residuals.csv in the same " \
    "folder. What steep has decided\n" \
    "# stands above as variables: title, across, up (at the axes), known (1: surface.csv has the " \
    "target), flat (1: two dimensions), gates\n" \
    "# (rows of gates.csv that are drawn), thin (of so many points one is drawn), size of points.\n" \
    "values = \"set palette defined (0 '#352A87', 1 '#1B55D7', 2 '#0D84CF', 3 '#18A9B4', 4 '#5ABD8C', 5 " \
    "'#A8BE6A', 6 '#EBC14F', 7 '#FBE92F')\"\n" \
    "errors = \"set palette defined (-3 '#1B4F8A', -2 '#5C97C9', -1 '#C6DCEC', 0 '#F7F7F7', 1 '#F6D2BE', " \
    "2 '#D9775B', 3 '#8E1B2E')\"\n" \
    "stats 'surface.csv' using 1 name 'a' nooutput\n" \
    "stats 'surface.csv' using 2 name 'b' nooutput\n" \
    "stats 'surface.csv' using 'network' name 'n' nooutput\n" \
    "stats 'residuals.csv' using 'y' name 'y' nooutput\n" \
    "stats 'residuals.csv' using 'residual' name 'r' nooutput\n" \
    "low = n_min; high = n_max\n" \
    "if (known) {\n" \
    "    stats 'surface.csv' using 'target' name 't' nooutput\n" \
    "    stats 'surface.csv' using 'residual' name 'e' nooutput\n" \
    "    low = t_min < low ? t_min : low; high = t_max > high ? t_max : high\n" \
    "} else { low = y_min; high = y_max } # between and beyond the points a network may go anywhere\n" \
    "if (!(high > low)) { low = low - 1; high = high + 1 }\n" \
    "greater(p, q) = p > q ? p : q\n" \
    "largest = known && flat ? greater(abs(e_min), abs(e_max)) : greater(abs(r_min), abs(r_max))\n" \
    "exponent = largest > 0 ? floor(log10(largest)) : 0\n" \
    "scaled(v) = v / 10. ** exponent\n" \
    "error_label = exponent == 0 ? 'residual' : sprintf('residual / 10^{%s%d}', exponent < 0 ? '−' : " \
    "'', abs(exponent))\n" \
    "# Four tics or so, at 1, 2, 5 times a power of ten.\n" \
    "round(q) = q < 1.5 ? 1 : q < 3.5 ? 2 : q < 7.5 ? 5 : 10\n" \
    "step(range) = !(range > 0) ? 1 : round(range / 4 / 10. ** floor(log10(range / 4))) * 10. ** " \
    "floor(log10(range / 4))\n" \
    "# Contours at the same levels in both maps; with commas between fields, a line of the block is one " \
    "text.\n" \
    "set contour base; unset surface; set cntrparam levels incremental low + (high - low) / 10, (high - " \
    "low) / 10, high - (high - low) / 20\n" \
    "set table $network; splot 'surface.csv' using 1:2:'network' with lines; unset table\n" \
    "if (known) { set table $target; splot 'surface.csv' using 1:2:'target' with lines; unset table }\n" \
    "unset contour; set surface\n" \
    "field(i) = real(word(strcol(1), i))\n" \
    "place = \"set lmargin at screen 0.06 + (c - 1) * 0.335; set rmargin at screen 0.272 + (c - 1) * " \
    "0.335; \\\n" \
    "    set tmargin at screen 0.84; set bmargin at screen 0.155\"\n" \
    "map = \"set xrange [a_min:a_max]; set yrange [b_min:b_max]; set cbrange [low:high]; set xlabel " \
    "across noenhanced; \\\n" \
    "    set ylabel up noenhanced; set xtics step(a_max - a_min); set ytics step(b_max - b_min); set " \
    "colorbox user origin graph 1.04, graph 0 size graph 0.05, graph 1; \\\n" \
    "    set cbtics scale 0.3; unset grid; set border 15; unset key\"\n" \
    "chart = \"unset colorbox; set border 3; set grid; set xrange [*:*]; set yrange [*:*]; set xtics " \
    "step(y_max - y_min); set ytics autofreq; \\\n" \
    "    set xlabel (known ? '{/:Italic y}' : 'measured {/:Italic y}') enhanced\"\n" \
    "do for [format in 'svg pdf png'] {\n" \
    "    eval canvas(format, 'fit', 1180, 390)\n" \
    "    set multiplot title title noenhanced font ',15'\n" \
    "    set xtics out nomirror; set ytics out nomirror\n" \
    "    c = 1; eval place; eval values; eval map\n" \
    "    if (known) {\n" \
    "        set title (flat ? 'target' : 'target, the other coordinates at the centre') offset 0,-0.6\n" \
    "        plot 'surface.csv' using 1:2:'target' with image, $target using (field(1)):(field(2)) with " \
    "lines linewidth 0.5 linecolor rgb '#50202020'\n" \
    "    } else { if (flat) {\n" \
    "        set title 'points' offset 0,-0.6\n" \
    "        plot 'residuals.csv' using 1:2:'y' every thin with points pointtype 7 pointsize size " \
    "linecolor palette\n" \
    "    } else {\n" \
    "        set title 'network against measured values' offset 0,-0.6\n" \
    "        eval chart; set ylabel 'network' enhanced\n" \
    "        plot 'residuals.csv' using 'y':'network' every thin with points pointtype 7 pointsize size " \
    "linecolor rgb '#500072B2', \\\n" \
    "             [y_min:y_max] x with lines linewidth 1 linecolor rgb faint\n" \
    "    } }\n" \
    "    c = 2; eval place; eval map\n" \
    "    set title (!known && !flat ? 'network, other columns at their medians' : gates > 0 ? 'network, " \
    "and where its gates open' : 'network') offset 0,-0.6\n" \
    "    plot 'surface.csv' using 1:2:'network' with image, \\\n" \
    "         $network using (field(1)):(field(2)) with lines linewidth 0.5 linecolor rgb '#50202020', \\\n" \
    "         'gates.csv' using 'from1':'from2':(column('to1') - column('from1')):(column('to2') - " \
    "column('from2')) \\\n" \
    "             every ::0::(gates > 0 ? gates - 1 : 0) with vectors nohead linewidth (gates <= 30 ? " \
    "1.1 : 0.6) linecolor rgb (gates > 0 ? '#ffffff' : '#ffffffff')\n" \
    "    c = 3; eval place\n" \
    "    if (known && flat) {\n" \
    "        eval errors; eval map; set cbrange [largest > 0 ? -scaled(largest) : -1:largest > 0 ? " \
    "scaled(largest) : 1]\n" \
    "        set title error_label offset 0,-0.6\n" \
    "        plot 'surface.csv' using 1:2:(scaled(column('residual'))) with image\n" \
    "    } else { if (flat) {\n" \
    "        eval errors; eval map; set cbrange [largest > 0 ? -scaled(largest) : -1:largest > 0 ? " \
    "scaled(largest) : 1]\n" \
    "        set title error_label offset 0,-0.6\n" \
    "        plot 'residuals.csv' using 1:2:(scaled(column('residual'))) every thin with points " \
    "pointtype 7 pointsize size linecolor palette\n" \
    "    } else {\n" \
    "        eval chart; set ylabel error_label enhanced; set title 'residuals' offset 0,-0.6\n" \
    "        plot 'residuals.csv' using 'y':(scaled(column('residual'))) every thin with points " \
    "pointtype 7 pointsize size linecolor rgb '#500072B2'\n" \
    "    } }\n" \
    "    unset multiplot\n" \
    "}\n" \
    "unset output\n"
#define STEEP_FIGURE_SEPARATION \
    "# SPDX-License-Identifier: GPL-3.0-or-later\n" \
    "# Error in W^{1,inf} against width: the networks found, sup |e| and sup |grad e| of each, their " \
    "certified bands, and the bound: separation.csv of steep separate.\n" \
    "# What is below 1e-17, as 0 is, stands there. Before this stand: title (text in enhanced mode), " \
    "certified (1: bands are there), bounded (1: a bound is there).\n" \
    "least = 1e-17\n" \
    "at(v) = v <= least ? least : v\n" \
    "do for [format in 'svg pdf png'] {\n" \
    "    eval canvas(format, 'separation', 620, 420)\n" \
    "    set title title font ',14' enhanced\n" \
    "    stats 'separation.csv' using 'width' name 'w' nooutput\n" \
    "    set xrange [w_min - 0.5 : w_max + 0.5]\n" \
    "    if (w_max <= 20) { set xtics 1 }\n" \
    "    set logscale y; set format y '%g'\n" \
    "    set xlabel 'width m'; set ylabel 'error'\n" \
    "    set key outside right center\n" \
    "    plot 'separation.csv' using (bounded ? column('width') : NaN):'bound' with lines linecolor rgb " \
    "ink dashtype 3 linewidth 1.6 title (bounded ? 'bound' : ''), \\\n" \
    "         '' using (certified ? column('width') : " \
    "NaN):(at(column('W'))):(at(column('certified_low'))):(at(column('certified_high'))) with yerrorbars " \
    "linecolor rgb ink pointtype 0 title (certified ? 'certified' : ''), \\\n" \
    "         '' using 'width':(at(column('W'))) with linespoints linetype 1 title 'W', \\\n" \
    "         '' using 'width':(at(column('E1'))) with linespoints linetype 2 title 'sup |∇e|', \\\n" \
    "         '' using 'width':(at(column('E0'))) with linespoints linetype 3 title 'sup |e|'\n" \
    "}\n" \
    "unset output\n"
#endif
