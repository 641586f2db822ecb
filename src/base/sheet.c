/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A printer is a row of functions and texts that write the parts of a sheet in order: a table with its rows, the notes
 * below it, the end of the output. */
#include "base/sheet.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/options.h"
#include "base/table.h"
#include "base/text.h"

enum { FORMAT_VERSION = 1, MOST_TEXT = 96, FORMATS = STEEP_FORMAT_LATEX + 1 };

STEEP_NAMES(steep_format_names, "text", "csv", "json", "md", "tex")

steep_format steep_format_find(const char *name)
{
    const size_t i = steep_options_index(steep_format_names, name);
    return i < FORMATS ? (steep_format)i : STEEP_FORMAT_TEXT;
}

steep_cell steep_cell_status(steep_status status)
{
    const steep_tone tone = status == STEEP_OK || status == STEEP_FLOOR ? STEEP_TONE_GOOD
                            : status > 0                                ? STEEP_TONE_DOUBTFUL
                                                                        : STEEP_TONE_BAD;
    return steep_cell_toned(steep_status_name(status), tone);
}

static bool is_given(const steep_sheet_column *column, const steep_cell *cell)
{
    return column->kind == STEEP_SHEET_TEXT ? cell->text != NULL : !isnan(cell->first);
}

/* The cell as text for people; a number is written into room[MOST_TEXT]. */
static const char *written(const steep_sheet_column *column, const steep_cell *cell, char *room)
{
    if (column->kind == STEEP_SHEET_TEXT) return cell->text ? cell->text : "";
    if (isnan(cell->first)) return "-";
    const char *format = column->format ? column->format : column->kind == STEEP_SHEET_COUNT ? "%.0f" : "%g";
    if (column->kind == STEEP_SHEET_PAIR) snprintf(room, MOST_TEXT, format, cell->first, cell->second);
    else snprintf(room, MOST_TEXT, format, cell->first);
    return room;
}

typedef struct printer {
    void (*begin)(steep_sheet *sheet, const char *title);    /* sheet->tables: how many tables stand before */
    void (*row)(steep_sheet *sheet, const steep_cell *cell); /* sheet->rows: how many rows stand before */
    void (*note)(steep_sheet *sheet, const char *text);      /* NULL: writes nothing */
    const char *rows_end, *end, *close; /* after the rows; after the notes; after everything; NULL: nothing */
    /* For put_row: text around cells; functions that write a text and a cell. */
    const char *left, *between, *right;
    void (*text)(FILE *stream, const char *text);
    void (*cell)(FILE *stream, const steep_sheet_column *column, const steep_cell *cell);
} printer;

static const printer printers[FORMATS];

/* A line of text. Blanks wait until a text follows, so that no line ends with blanks. */
typedef struct text_line {
    FILE *stream;
    int blanks;
    bool begun;
} text_line;

static void text_piece(text_line *line, const steep_sheet_column *column, const char *text, const char *color)
{
    const int room = abs(column->width), length = (int)steep_utf8_count(text), left = room > length ? room - length : 0;
    if (column->gap < 0) {
        if (!*text) return;
        fputc('\n', line->stream);
        line->blanks = -column->gap;
    } else line->blanks += line->begun ? column->gap : 0;
    line->begun = true;
    if (column->width > 0) line->blanks += left;
    if (*text) {
        fprintf(line->stream, "%*s", line->blanks, "");
        if (color) fprintf(line->stream, "\033[%sm%s\033[0m", color, text);
        else fputs(text, line->stream);
        line->blanks = 0;
    }
    if (column->width < 0) line->blanks += left;
}

/* Writes a row of cells, or the titles if cell is NULL. */
static void text_row(steep_sheet *sheet, const steep_cell *cell)
{
    static const char *const colors[] = {NULL, "32", "33", "31"}; /* green, yellow, red */
    const steep_sheet_layout *layout = sheet->layout;
    const bool record = cell && layout->shape == STEEP_SHEET_RECORD;
    text_line line = {sheet->stream, layout->indent, false};
    char room[MOST_TEXT];
    for (size_t c = 0; c < layout->columns; c++) {
        const steep_sheet_column *column = &layout->column[c];
        if (!column->title) continue;
        const char *text = cell ? written(column, &cell[c], room) : column->title;
        const char *color = cell && sheet->style.color ? colors[cell[c].tone] : NULL;
        if (!record) text_piece(&line, column, text, color);
        else if (is_given(column, &cell[c])) {
            line = (text_line){sheet->stream, layout->indent, false};
            text_piece(&line, column, column->title, NULL);
            text_piece(&line, &(steep_sheet_column){.gap = 1}, text, color);
            fputc('\n', sheet->stream);
        }
    }
    if (!record) fputc('\n', sheet->stream);
}

static void text_begin(steep_sheet *sheet, const char *title)
{
    if (sheet->tables > 0) fputc('\n', sheet->stream);
    if (title) fprintf(sheet->stream, "%s\n", title);
    if (sheet->layout->shape == STEEP_SHEET_ROWS) text_row(sheet, NULL);
}

static void text_note(steep_sheet *sheet, const char *text)
{
    fprintf(sheet->stream, "%s\n", text);
}

/* Writes a row of cells, or the names of the columns if cell is NULL; a pair is two columns. */
static void csv_line(steep_sheet *sheet, const steep_cell *cell)
{
    const steep_sheet_layout *layout = sheet->layout;
    char number[STEEP_DECIMAL_ROOM];
    bool begun = false;
    for (size_t c = 0; c < layout->columns; c++) {
        const steep_sheet_column *column = &layout->column[c];
        for (int half = 0; column->key && half < 1 + (column->kind == STEEP_SHEET_PAIR); half++, begun = true) {
            const char *text = half ? column->second : column->key;
            if (cell && column->kind == STEEP_SHEET_TEXT) text = cell[c].text ? cell[c].text : "";
            else if (cell) steep_decimal(half ? cell[c].second : cell[c].first, number), text = number;
            if (begun) fputc(',', sheet->stream);
            steep_table_put(sheet->stream, text, 0);
        }
    }
    fputc('\n', sheet->stream);
}

static void csv_begin(steep_sheet *sheet, const char *title)
{
    (void)title;
    if (sheet->tables > 0) fputc('\n', sheet->stream);
    csv_line(sheet, NULL);
}

static json_t *number_of(double value, bool whole)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value < 0 ? "-inf" : "inf");
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *value_of(steep_sheet_kind kind, const steep_cell *cell)
{
    if (kind == STEEP_SHEET_TEXT) return cell->text ? steep_json_text(cell->text) : json_null();
    return number_of(cell->first, kind == STEEP_SHEET_COUNT);
}

/* Writes the value and releases it. NULL: an allocation failed. */
static void json_put(steep_sheet *sheet, json_t *value)
{
    if (!value || json_dumpf(value, sheet->stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) != 0)
        sheet->status = ferror(sheet->stream) ? sheet->status : STEEP_NO_MEMORY;
    json_decref(value);
}

static void json_begin(steep_sheet *sheet, const char *title)
{
    if (sheet->tables == 0)
        fprintf(sheet->stream, "{\"format\": %d, \"command\": \"%s\", \"tables\": [", FORMAT_VERSION, sheet->command);
    fprintf(sheet->stream, "%s\n{\"name\": \"%s\", \"title\": ", sheet->tables > 0 ? "," : "", sheet->layout->name);
    json_put(sheet, title ? steep_json_text(title) : json_null());
    fputs(", \"rows\": [", sheet->stream);
}

static void json_row(steep_sheet *sheet, const steep_cell *cell)
{
    const steep_sheet_layout *layout = sheet->layout;
    json_t *row = json_object();
    for (size_t c = 0; row && c < layout->columns; c++) {
        const steep_sheet_column *column = &layout->column[c];
        if (!column->key) continue;
        json_t *key = steep_json_text(column->key); /* a column of a table may have any name */
        row = steep_json_put(row, json_string_value(key), value_of(column->kind, &cell[c]));
        json_decref(key);
        if (column->kind == STEEP_SHEET_PAIR)
            row = steep_json_put(row, column->second, number_of(cell[c].second, false));
    }
    fputs(sheet->rows > 0 ? ",\n" : "\n", sheet->stream);
    json_put(sheet, row);
}

static void json_note(steep_sheet *sheet, const char *text)
{
    if (sheet->notes > 0) fputs(", ", sheet->stream);
    json_put(sheet, steep_json_text(text));
}

/* Writes a row of cells, or the titles if cell is NULL; for a record, a row of title and value for each given cell. */
static void put_row(steep_sheet *sheet, const steep_cell *cell)
{
    const steep_sheet_layout *layout = sheet->layout;
    const printer *m = &printers[sheet->style.format];
    const bool record = cell && layout->shape == STEEP_SHEET_RECORD;
    for (size_t c = 0, begun = 0; c < layout->columns; c++) {
        const steep_sheet_column *column = &layout->column[c];
        if (!column->title || (record && !is_given(column, &cell[c]))) continue;
        fputs(begun++ && !record ? m->between : m->left, sheet->stream);
        if (record || !cell) m->text(sheet->stream, column->title);
        if (record) fputs(m->between, sheet->stream);
        if (cell) m->cell(sheet->stream, column, &cell[c]);
        if (record) fputs(m->right, sheet->stream);
    }
    if (!record) fputs(m->right, sheet->stream);
}

static void md_text(FILE *stream, const char *text)
{
    for (; *text; text++) {
        const size_t blanks = strspn(text, " ");
        if (blanks > 1) { /* Markdown shows several blanks as one */
            fputs(" &emsp;", stream);
            text += blanks - 1;
        }
        if (strchr("\\|*_`<~#", *text)) fputc('\\', stream);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, stream);
    }
}

static void md_begin(steep_sheet *sheet, const char *title)
{
    const steep_sheet_layout *layout = sheet->layout;
    FILE *stream = sheet->stream;
    if (sheet->tables > 0) fputc('\n', stream);
    if (title) md_text(stream, title);
    if (title) fputs("\n\n", stream);
    if (layout->shape == STEEP_SHEET_RECORD) {
        fputs("| | |\n|---|---|\n", stream);
        return;
    }
    put_row(sheet, NULL);
    for (size_t c = 0; c < layout->columns; c++)
        if (layout->column[c].title) fputs(layout->column[c].kind == STEEP_SHEET_TEXT ? "|---" : "|---:", stream);
    fputs("|\n", stream);
}

static void md_cell(FILE *stream, const steep_sheet_column *column, const steep_cell *cell)
{
    char room[MOST_TEXT];
    md_text(stream, written(column, cell, room));
}

static void md_note(steep_sheet *sheet, const char *text)
{
    fputc('\n', sheet->stream);
    md_text(sheet->stream, text);
    fputc('\n', sheet->stream);
}

/* One character of plain text. LaTeX would read a bracket or a star after the end of a row as an option of that end,
 * and two hyphens as a dash. */
static void tex_character(FILE *stream, char c)
{
    static const struct {
        char c;
        const char *tex;
    } special[] = {{'\\', "\\textbackslash{}"},
                   {'^', "\\textasciicircum{}"},
                   {'~', "\\textasciitilde{}"},
                   {'<', "\\textless{}"},
                   {'>', "\\textgreater{}"},
                   {'|', "\\textbar{}"},
                   {'[', "{[}"},
                   {'*', "{*}"},
                   {'-', "-{}"},
                   {'"', "{''}"}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (c == special[i].c) {
            fputs(special[i].tex, stream);
            return;
        }
    if (strchr("{}$%&#_", c)) fputc('\\', stream);
    fputc(c, stream);
}

/* Writes the first character of the text, or all its leading blanks; returns how many bytes of text this was. */
static size_t tex_piece(FILE *stream, const char *text)
{
    const size_t blanks = strspn(text, " "), size = steep_utf8_length((const unsigned char *)text);
    if (blanks > 1) {
        fputs("\\quad ", stream);
        return blanks;
    }
    const bool unknown = size == 0 || strncmp(text, STEEP_UTF8_UNKNOWN, 3) == 0;
    if (unknown) fputc('?', stream); /* LaTeX stops at invalid UTF-8, and has no sign for U+FFFD */
    else if (size > 1) fwrite(text, 1, size, stream);
    else tex_character(stream, (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
    return size ? size : 1;
}

static void tex_text(FILE *stream, const char *text)
{
    while (*text) text += tex_piece(stream, text);
}

/* The length of the number that begins at c (sign, digits, point, exponent), 0 if there is none; *mantissa: the length
 * without the exponent. */
static size_t number_length(const char *c, size_t *mantissa)
{
    size_t at = *c == '-' || *c == '+';
    if (!isdigit((unsigned char)c[at])) return 0;
    while (isdigit((unsigned char)c[at]) || (c[at] == '.' && isdigit((unsigned char)c[at + 1]))) at++;
    *mantissa = at;
    if (c[at] != 'e' || (c[at + 1] != '+' && c[at + 1] != '-') || !isdigit((unsigned char)c[at + 2])) return at;
    for (at += 2; isdigit((unsigned char)c[at]); at++) continue;
    return at;
}

/* The length of "inf" or "-inf" at the beginning of text; 0 if there is none, or a letter follows. */
static size_t infinity_length(const char *text)
{
    const size_t length = strncmp(text, "-inf", 4) == 0 ? 4 : strncmp(text, "inf", 3) == 0 ? 3 : 0;
    return length > 0 && !isalpha((unsigned char)text[length]) ? length : 0;
}

/* Writes a text with its numbers in mathematics, where a hyphen is a minus. Digits after a letter, a digit, _ or -, as
 * in gqu2, are no number. */
static void tex_numbers(FILE *stream, const char *text)
{
    for (char before = ' '; *text;) {
        const bool inside = isalnum((unsigned char)before) || before == '_' || before == '-';
        size_t mantissa = 0, length = inside ? 0 : number_length(text, &mantissa);
        const size_t infinity = inside ? 0 : infinity_length(text);
        if (infinity) {
            fputs(infinity == 4 ? "$-\\infty$" : "$\\infty$", stream);
            length = infinity;
        } else if (length == 0) length = tex_piece(stream, text);
        else if (length > mantissa)
            fprintf(stream, "$%.*s\\cdot 10^{%ld}$", (int)mantissa, text, strtol(text + mantissa + 1, NULL, 10));
        else fprintf(stream, "$%.*s$", (int)length, text);
        before = text[length - 1];
        text += length;
    }
}

/* A title, or a note. */
static void tex_paragraph(steep_sheet *sheet, const char *text)
{
    fputs("\\par\\medskip\\noindent ", sheet->stream);
    tex_text(sheet->stream, text);
    fputs("\\par\\medskip\n", sheet->stream);
}

static void tex_begin(steep_sheet *sheet, const char *title)
{
    const steep_sheet_layout *layout = sheet->layout;
    FILE *stream = sheet->stream;
    if (title) tex_paragraph(sheet, title);
    fputs("\\noindent\\begin{tabular}{", stream);
    if (layout->shape == STEEP_SHEET_RECORD) {
        fputs("ll}\n\\hline\n", stream);
        return;
    }
    for (size_t c = 0; c < layout->columns; c++) {
        const steep_sheet_kind kind = layout->column[c].kind;
        if (layout->column[c].title) fputc(kind == STEEP_SHEET_TEXT || kind == STEEP_SHEET_PAIR ? 'l' : 'r', stream);
    }
    fputs("}\n\\hline\n", stream);
    put_row(sheet, NULL);
    fputs("\\hline\n", stream);
}

static void tex_cell(FILE *stream, const steep_sheet_column *column, const steep_cell *cell)
{
    char room[MOST_TEXT];
    const char *text = written(column, cell, room);
    if (column->kind == STEEP_SHEET_TEXT && column->key) tex_text(stream, text);
    else if (isnan(cell->first)) fputs("--", stream); /* a dash: no value */
    else tex_numbers(stream, text);
}

/* clang-format off */
static const printer printers[FORMATS] = {
    [STEEP_FORMAT_TEXT] = {.begin = text_begin, .row = text_row, .note = text_note},
    [STEEP_FORMAT_CSV] = {.begin = csv_begin, .row = csv_line},
    [STEEP_FORMAT_JSON] = {.begin = json_begin, .row = json_row, .note = json_note,
                           .rows_end = "\n], \"notes\": [", .end = "]}", .close = "\n]}\n"},
    [STEEP_FORMAT_MARKDOWN] = {.begin = md_begin, .row = put_row, .note = md_note,
                               .left = "| ", .between = " | ", .right = " |\n", .text = md_text, .cell = md_cell},
    [STEEP_FORMAT_LATEX] = {.begin = tex_begin, .row = put_row, .note = tex_paragraph,
                            .rows_end = "\\hline\n\\end{tabular}\n",
                            .left = "", .between = " & ", .right = " \\\\\n", .text = tex_text, .cell = tex_cell},
};
/* clang-format on */

void steep_sheet_open(steep_sheet *sheet, FILE *stream, steep_style style, const char *command)
{
    *sheet = (steep_sheet){.stream = stream, .style = style, .command = command};
}

void steep_sheet_begin(steep_sheet *sheet, const steep_sheet_layout *layout, const char *title)
{
    const printer *p = &printers[sheet->style.format];
    const bool same = sheet->layout == layout && sheet->style.format == STEEP_FORMAT_CSV;
    steep_sheet_end(sheet);
    sheet->layout = layout;
    sheet->rows = sheet->notes = 0;
    if (!same) p->begin(sheet, title);
}

void steep_sheet_row(steep_sheet *sheet, const steep_cell *cell)
{
    printers[sheet->style.format].row(sheet, cell);
    sheet->rows++;
}

void steep_sheet_note(steep_sheet *sheet, const char *text)
{
    const printer *p = &printers[sheet->style.format];
    if (sheet->notes == 0 && p->rows_end) fputs(p->rows_end, sheet->stream);
    if (p->note) p->note(sheet, text);
    sheet->notes++;
}

void steep_sheet_end(steep_sheet *sheet)
{
    const printer *p = &printers[sheet->style.format];
    if (!sheet->layout) return;
    if (sheet->notes == 0 && p->rows_end) fputs(p->rows_end, sheet->stream);
    if (p->end) fputs(p->end, sheet->stream);
    sheet->layout = NULL;
    sheet->tables++;
}

steep_status steep_sheet_close(steep_sheet *sheet)
{
    steep_sheet_end(sheet);
    const char *close = printers[sheet->style.format].close;
    if (sheet->tables > 0 && close) fputs(close, sheet->stream);
    fflush(sheet->stream);
    return sheet->status;
}

steep_status steep_event_write(FILE *stream, const char *event, const steep_sheet_part *field, size_t count)
{
    json_t *object = steep_json_put(json_object(), "event", steep_json_text(event));
    for (const steep_sheet_part *end = field + count; object && field < end; field++)
        object = steep_json_put(object, field->column.key, value_of(field->column.kind, &field->cell));
    char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(object);
    if (line) {
        const size_t length = strlen(line);
        line[length] = '\n'; /* in place of its 0 */
        fwrite(line, 1, length + 1, stream);
    }
    free(line);
    fflush(stream);
    return line ? STEEP_OK : STEEP_NO_MEMORY;
}
