# SPDX-License-Identifier: GPL-3.0-or-later
# Training error by iterations and by operations (trials of learning rates included), a line for each start:
# curves/*.csv of --curve. Before this stand: files and series (words: a file and the number of its series), the array
# label and how many labels it has.
set datafile missing # NaN leaves a segment out
# The line of a fit that diverges ends at ten times the largest error at a beginning, so that the others can be seen.
top = 0
least = 1e300 # operations of a first iteration: the start, which has taken none, stands at a third of them
do for [i = 1:words(files)] {
    stats 'curves/' . word(files, i) every ::1::1 using (strstrt(strcol(5), 'n') ? 0 : real(strcol(5))) nooutput # rmse_train
    top = STATS_max > top ? STATS_max : top
    stats 'curves/' . word(files, i) every ::1 using (real(strcol(11)) > 0 ? real(strcol(11)) : 1e300) nooutput # operations
    least = STATS_min < least ? STATS_min : least
}
at(what) = what eq 'iteration' ? column(what) + 1 : column(what) > least/3 ? column(what) : least/3
# A segment ends at each record but the first of a start.
begin(i) = (now = column('restart'), start = now != last || column(0) == 0, last = now, x0 = x1, y0 = y1, \
            x1 = at(what), y1 = top > 0 && column('rmse_train') > 10 * top ? NaN : column('rmse_train'), \
            start ? NaN : x0)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'curves', 1280, 420)
    set multiplot layout 1, 2 margins 0.06, 0.74, 0.15, 0.95 spacing 0.07
    set logscale xy; set format y power
    set ylabel 'training error' offset inward,0; unset key
    do for [what in 'iteration operations'] {
        set xlabel what eq 'iteration' ? 'iteration + 1' : what offset 0,raise; set format x what eq 'iteration' ? '%g' : power
        last = -1; x1 = y1 = NaN
        plot for [i = 1:words(files)] 'curves/' . word(files, i) using (begin(i)):(y0):(x1 - x0):(y1 - y0) \
                 with vectors nohead linetype int(word(series, i)) linewidth 0.9 notitle, \
             for [i = 1:labels] NaN with lines linetype i title label[i]
        unset ylabel; set key at screen 0.75, 0.95 left top Left reverse font ',10'
    }
    unset multiplot
}
