# SPDX-License-Identifier: GPL-3.0-or-later
# One fit, from residuals.csv, units.csv and, where there are any, gates.csv in the same folder. What steep has decided stands
# above as variables: title, terminals, units (how many curves; 0: there is no panel of them), gates (how many rows of gates.csv
# are drawn as lines), thin and thin_units (of so many points one is drawn).
stats 'residuals.csv' using 'x' name 'x' nooutput
stats 'residuals.csv' using 'residual' name 'r' nooutput
largest = abs(r_min) > abs(r_max) ? abs(r_min) : abs(r_max)
exponent = largest > 0 ? floor(log10(largest)) : 0
do for [i = 1:gates] {
    stats 'gates.csv' using 'knot' every ::i - 1::i - 1 name 'gate' nooutput
    if (gate_min >= x_min && gate_min <= x_max) {
        set arrow from first gate_min, graph 0 to first gate_min, graph 1 nohead back linewidth 0.7 dashtype (4,4) linecolor rgb faint
    }
}
height = 0
do for [i = 1:units] {
    stats 'units.csv' using i + 1 name 'unit' nooutput
    height = height > abs(unit_min) ? height : abs(unit_min); height = height > abs(unit_max) ? height : abs(unit_max)
}
power = height >= 1e4 ? floor(log10(height)) : 0
do for [format in terminals] {
    eval canvas(format, 'fit', 900, 440)
    set multiplot title title noenhanced font ',15'
    set xrange [x_min:x_max]
    set lmargin at screen 0.08; set rmargin at screen units > 0 ? 0.51 : 0.985; set tmargin at screen 0.875; set bmargin at screen 0.44
    set key at graph 1, graph 1.01 right bottom horizontal samplen 2
    set format x ''; unset xlabel; set ylabel '{/:Italic y}' offset 0.5 + inward,0
    plot 'residuals.csv' using 'x':'y' every thin with lines linewidth 5 linecolor rgb 0xcfcfcf title 'target', \
         '' using 'x':'network' every thin with lines linetype 2 linewidth 1.3 title 'network'
    set key off; set tmargin at screen 0.385; set bmargin at screen 0.135
    set format x '%g'; set xlabel '{/:Italic x}' offset 0,raise
    set ylabel sprintf('residual / 10^{%s%d}', exponent < 0 ? '−' : '', abs(exponent)) offset inward,0
    set ytics -8, largest < 3 * 10. ** exponent ? 1 : largest < 6 * 10. ** exponent ? 2 : 4
    plot 'residuals.csv' using 'x':(column('residual') / 10. ** exponent) every thin with lines linetype 1 linewidth 1.1
    if (units > 0) {
        set lmargin at screen 0.59; set rmargin at screen 0.985; set tmargin at screen 0.875; set bmargin at screen 0.135
        set ylabel '{/:Italic D_i h_i}'.(power > 0 ? sprintf(' / 10^{%d}', power) : '') offset 0.5 + inward,0; set ytics autofreq
        plot for [i = 1:units] 'units.csv' using 1:(column(i + 1) / 10. ** power) every thin_units with lines linetype (units <= 12 ? i : 1) linewidth (units <= 12 ? 1.3 : 0.5)
    }
    unset multiplot
}
