# SPDX-License-Identifier: GPL-3.0-or-later
# Training error and gradient by evaluations of the network, a line for each start: curves/*.csv of --curve.
# Before this stand: files and series (words: a file and the number of its series), labels (of series, in order).
y_of(name) = (restart = column('restart'), restart != last ? (last = restart, NaN) : column(name) > 0 ? column(name) : NaN)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'curves', 980, 420)
    set multiplot layout 1, 2
    set logscale xy; set format y power
    set xlabel 'evaluations of the network'
    do for [name in 'rmse_train gradient'] {
        set ylabel name eq 'gradient' ? 'gradient, as its solver measures it' : 'training error'
        if (name eq 'gradient') { unset key } else { set key bottom left }
        last = -1
        plot for [i = 1:words(files)] 'curves/' . word(files, i) using (column('evaluations') + 1):(last = column(0) == 0 ? -1 : last, y_of(name)) \
                 with lines linetype int(word(series, i)) linewidth 0.9 notitle, \
             for [i = 1:words(labels)] NaN with lines linetype i title word(labels, i)
    }
    unset multiplot
}
unset output
