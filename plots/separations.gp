# SPDX-License-Identifier: GPL-3.0-or-later
# W against width for each class, bounds dotted: separations.csv of experiments/separations.c. Left and middle: the Type I witnesses; right: Type II pairs.
is(w, c) = strcol('witness') eq w && strcol('class') eq c && column('lambda') == 1
first = 'relu leaky_relu relu2 gelu silu tanh'
second = 'relu2 la moa'
third = 'silu*id relu*id relu*relu relu*relu2 relu*tanh'
do for [format in 'svg pdf png'] {
    eval canvas(format, 'separations', 1150, 420)
    set multiplot layout 1, 3 margins 0.065, 0.985, 0.14, 0.9 spacing 0.065, 0
    set xlabel 'width m'; set logscale y; set format y '%g'
    set key right top
    set title 'x_+ + x_+^2' font ',13'
    set xrange [0.5:10.5]; set yrange [0.08:3]; set xtics 2; set ylabel 'least W found'
    plot for [i = 1:words(first)] 'separations.csv' using (is('la_type1', word(first, i)) ? column('width') : NaN):'W' with linespoints linetype i title word(first, i), \
         '' using (is('la_type1', 'gelu') ? column('width') : NaN):'bound' with lines linecolor rgb ink dashtype 3 title 'no smooth one below'
    unset ylabel
    set title 'tanh(x) y_+' font ',13'
    set xrange [0.5:4.5]; set xtics 1; set yrange [0.3:3]
    plot for [i = 1:2] 'separations.csv' using (is('moa_type1', word(second, i)) ? column('width') : NaN):'W' with linespoints linetype i title word(second, i), \
         '' using (is('moa_type1', 'la') ? column('width') : NaN):'bound' with lines linecolor rgb ink dashtype 3 title 'no la below tanh(1)/2'
    set title 'y_+ (x_+ + tanh x)' font ',13'
    set yrange [0.05:5]
    plot for [i = 1:words(third)] 'separations.csv' using (is('la_type2', word(third, i)) ? column('width') : NaN):'W' with linespoints linetype i title word(third, i)
    unset multiplot
}
unset output
