/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static char path[64];

/* A file with this text; its name in path. */
static void put(const char *text)
{
    strcpy(path, "/tmp/steep-table-XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static steep_status read_text(const char *text, steep_table *table, steep_error *error)
{
    put(text);
    steep_status status = steep_table_read(path, table, error);
    unlink(path);
    return status;
}

START_TEST(rows_and_columns)
{
    steep_table t;
    double value;
    ck_assert_int_eq(read_text("a,b,c\n1,2.5,x\n\n# a remark\n-3e2,\"4,5\",\"say \"\"hm\"\"\"\r\n", &t, NULL),
                     STEEP_OK);
    ck_assert_uint_eq(t.columns, 3);
    ck_assert_uint_eq(t.rows, 2);
    ck_assert(!t.torn);
    ck_assert_uint_eq(steep_table_column(&t, "c"), 2);
    ck_assert_uint_eq(steep_table_column(&t, "d"), t.columns);
    ck_assert_int_eq(steep_table_number(&t, 1, 0, &value, NULL), STEEP_OK);
    ck_assert(value == -300);
    ck_assert_str_eq(t.cell[4], "4,5");
    ck_assert_str_eq(t.cell[5], "say \"hm\"");
    steep_table_free(&t);
}
END_TEST

START_TEST(a_torn_last_line_is_no_row)
{
    steep_table t;
    ck_assert_int_eq(read_text("a,b\n1,2\n3,4", &t, NULL), STEEP_OK);
    ck_assert(t.torn && t.rows == 1 && t.tail == 1 && t.whole == 8);
    steep_table_free(&t);
    ck_assert_int_eq(read_text("a,b\n1,2\n3", &t, NULL), STEEP_OK);
    ck_assert(t.torn && t.rows == 1 && t.tail == 0 && t.whole == 8);
    steep_table_free(&t);
    ck_assert_int_eq(read_text("a,b", &t, NULL), STEEP_OK);
    ck_assert(t.torn && t.rows == 0 && t.whole == 0);
    steep_table_free(&t);
    ck_assert_int_eq(read_text("a,b\n1,2\n3,\"4\n", &t, NULL), STEEP_OK); /* cut within quotes */
    ck_assert(t.torn && t.rows == 1 && t.whole == 8);
    steep_table_free(&t);
}
END_TEST

START_TEST(complaints_name_the_place)
{
    steep_table t;
    steep_error error;
    double value;
    ck_assert_int_eq(read_text("a,b\n1,2\n1,2,3\n4,5\n", &t, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "line 3: 3 fields where the header has 2"));
    ck_assert_int_eq(read_text("", &t, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "empty"));
    ck_assert_int_eq(steep_table_read("/nowhere/at/all.csv", &t, &error), STEEP_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/at/all.csv"));
    ck_assert_int_eq(read_text("a,b\n1,two\n3,nan\n4,\n5,6 \n", &t, &error), STEEP_OK);
    for (size_t row = 0; row < 3; row++) {
        ck_assert_int_eq(steep_table_number(&t, row, 1, &value, &error), STEEP_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "column b"));
    }
    ck_assert_int_eq(steep_table_number(&t, 0, 1, &value, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "line 2"));
    ck_assert_int_eq(steep_table_number(&t, 3, 1, &value, &error), STEEP_OK);
    steep_table_free(&t);
}
END_TEST

START_TEST(fields_are_quoted_where_they_must_be)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    steep_table_put(stream, "plain");
    fputc(',', stream);
    steep_table_put(stream, "max(x,0) \"hm\"");
    fclose(stream);
    ck_assert_str_eq(text, "plain,\"max(x,0) \"\"hm\"\"\"");
    free(text);
}
END_TEST

/* Whatever is put comes back, and so do the lines that rows begin at. */
START_TEST(what_is_put_is_read)
{
    static const char *const word[] = {"plain",      "a,b", "\"",   "\"\"",        "two\nlines",       " blank ",
                                       "#no remark", "",    "x\ty", "caf\xC3\xA9", "say \"hi\"\nthere"};
    enum { WORDS = sizeof word / sizeof *word };
    steep_table t;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs("\xEF\xBB\xBFname , number\r\n", stream);
    for (size_t i = 0; i < WORDS; i++) {
        steep_table_put(stream, word[i]);
        fprintf(stream, ",%zu\n# a \"remark\n  \n", i);
    }
    fclose(stream);
    ck_assert_int_eq(read_text(text, &t, NULL), STEEP_OK);
    ck_assert_uint_eq(t.rows, WORDS);
    ck_assert_uint_eq(steep_table_column(&t, "name"), 0);
    ck_assert_uint_eq(steep_table_column(&t, "number"), 1);
    for (size_t i = 0; i < WORDS; i++) {
        double number = -1;
        ck_assert_str_eq(t.cell[2 * i], word[i]);
        ck_assert_int_eq(steep_table_number(&t, i, 1, &number, NULL), STEEP_OK);
        ck_assert(number == (double)i);
        ck_assert_uint_eq(t.line[i], 2 + 3 * i + (i > 4)); /* one more behind the field of two lines */
    }
    steep_table_free(&t);
    free(text);
}
END_TEST

START_TEST(complaints_count_remarks_and_blank_lines)
{
    steep_table t;
    steep_error error;
    double value;
    ck_assert_int_eq(read_text("# from the lab\n\na,b\n1,2\n\n# more\n3,four\n", &t, &error), STEEP_OK);
    ck_assert_int_eq(steep_table_number(&t, 1, 1, &value, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "line 7, column b: 'four'"));
    steep_table_free(&t);
    ck_assert_int_eq(read_text("# from the lab\n\na,b\n1,2\n\n# more\n3\n5,6\n", &t, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "line 7: 1 fields where the header has 2"));
    ck_assert(t.cell == NULL && t.path == NULL);
    ck_assert_int_eq(steep_table_read("/tmp", &t, &error), STEEP_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "directory"));
}
END_TEST

START_TEST(files_are_replaced_whole_or_not_at_all)
{
    steep_error error;
    put("before\n");
    FILE *stream = steep_table_begin(path, &error);
    ck_assert_ptr_nonnull(stream);
    fputs("after\n", stream);
    ck_assert_int_eq(steep_table_commit(stream, path, &error), STEEP_OK);
    char line[16] = "";
    stream = fopen(path, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, stream));
    fclose(stream);
    ck_assert_str_eq(line, "after\n");
    unlink(path);
    ck_assert_ptr_null(steep_table_begin("/nowhere/file", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/file"));
}
END_TEST

START_TEST(a_full_disk_is_noticed_and_loses_nothing)
{
    steep_error error;
    if (access("/dev/full", W_OK) != 0) return;
    put("before\n");
    char temporary[80];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    ck_assert_int_eq(symlink("/dev/full", temporary), 0); /* the temporary file lands on a device that is full */
    FILE *stream = steep_table_begin(path, &error);
    ck_assert_ptr_nonnull(stream);
    fputs("after\n", stream);
    ck_assert_int_eq(steep_table_commit(stream, path, &error), STEEP_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "No space left"));
    struct stat info;
    ck_assert_int_ne(lstat(temporary, &info), 0);
    ck_assert_int_eq(symlink("/dev/null", temporary), 0); /* takes everything, keeps nothing: it cannot be synced */
    stream = steep_table_begin(path, &error);
    ck_assert_ptr_nonnull(stream);
    fputs("after\n", stream);
    ck_assert_int_eq(steep_table_commit(stream, path, &error), STEEP_IO);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_eq(info.st_size, 7);
    ck_assert_int_ne(lstat(temporary, &info), 0);
    unlink(path);
}
END_TEST

STEEP_TEST_MAIN("table", rows_and_columns, a_torn_last_line_is_no_row, complaints_name_the_place,
                fields_are_quoted_where_they_must_be, what_is_put_is_read, complaints_count_remarks_and_blank_lines,
                files_are_replaced_whole_or_not_at_all, a_full_disk_is_noticed_and_loses_nothing)
