/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_mobo.c - -mr: warm reset of board-management hosts, with the cards here
 * that hang on them between the two halves of it (chip-facts 5.5).
 */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "reset/mobo.h"
#include "src/credentials.h"
#include "src/reset_run.h"
#include "src/say.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOBOS	   8
#define CONFIG_MAX (1 << 20)

struct mobos {
	struct reset_run run;	/* first: its callbacks get this one */
	size_t n;
	struct mobo mobo[MOBOS];
	bool is_booted[MOBOS];
	struct credentials credentials;
};

static int take_entries(struct mobos *m, const struct json *list, struct error *e)
{
	for (const struct json *i = json_child(list); i; i = json_next(i)) {
		int r;

		if (m->n == MOBOS)
			return fail(e, -EINVAL, "wh_mobo_reset has too many entries");
		r = mobo_parse(i, &m->mobo[m->n], e);
		if (r < 0)
			return r;
		m->n += r == 0;
	}
	return 0;
}

static int read_config(struct mobos *m, const char *path, struct error *e)
{
	struct error why = { 0 };
	struct json *doc = NULL;
	char *text = NULL;
	size_t len;
	int r = file_read_all(path, CONFIG_MAX, &text, &len, e);

	if (r < 0)
		return r;
	r = json_parse(text, len, &doc, &why);
	if (r == 0)
		r = take_entries(m, json_get(doc, "wh_mobo_reset"), &why);
	json_free(doc);
	free(text);
	return r < 0 ? fail(e, -EINVAL, "%s: %.180s", path, why.text) : 0;
}

static bool is_config(const char *word)
{
	size_t len = strlen(word);

	return len > 5 && strcmp(word + len - 5, ".json") == 0;
}

static int take_word(struct mobo *m, const char *word, struct error *e)
{
	if (!*m->host && mobo_is_host(word)) {
		mem_copy_text(m->host, sizeof(m->host), word);
		return 0;
	}
	if (!mobo_is_port(word) || m->n_ports == MOBO_PORTS)
		return fail(e, -EINVAL, "'%s' is no %s", word,
			*m->host ? "ethernet port, as in 6:0" : "host name");
	mem_copy_text(m->ports[m->n_ports++], sizeof(m->ports[0]), word);
	return 0;
}

/* "mobo-1 6:0 6:1" or FILE.json ... */
static int take_words(struct mobos *m, const struct options *o, struct error *e)
{
	int r = 0;

	for (size_t i = 0; i < o->n_targets && r == 0; i++) {
		if (is_config(o->targets[i])) {
			r = read_config(m, o->targets[i], e);
			continue;
		}
		/* Other words of -r and -wr are cards. */
		if (!o->typed[OPT_MOBO_RESET])
			continue;
		if (m->n == 0)
			m->n = 1;
		r = take_word(&m->mobo[0], o->targets[i], e);
	}
	return r;
}

static int ask_line(const char *question, char *line, size_t size)
{
	fputs(question, stdout);
	fflush(stdout);
	if (!fgets(line, (int)size, stdin))
		return -EACCES;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

static int ask(struct mobos *m, struct error *e)
{
	char line[512];
	int r;

	if (ask_line("Mobo to reset (its name; nothing leaves): ", line, sizeof(line)) < 0 ||
		!*line)
		return fail(e, -EACCES, "nothing was reset");
	m->n = 1;
	r = take_word(&m->mobo[0], line, e);
	if (r < 0 || ask_line("Ethernet ports (6:0 6:1 ...): ", line, sizeof(line)) < 0)
		return r < 0 ? r : fail(e, -EACCES, "nothing was reset");
	for (char *save, *word = strtok_r(line, " ,", &save); word && r == 0;
		word = strtok_r(NULL, " ,", &save))
		r = take_word(&m->mobo[0], word, e);
	return r;
}

struct half {
	const struct mobo *mobo;
	int (*act)(const struct mobo *m, struct outside_line *line, struct error *e);
};

static int act(void *arg, struct outside_line *line, struct error *e)
{
	const struct half *h = arg;

	return h->act(h->mobo, line, e);
}

/* EXIT_NEGATIVE: it failed when it was under way. */
static enum exit_code run_half(struct half *h)
{
	const struct outside what = { .title = "mobo", .act = act, .arg = h,
		.limit = mobo_limit(h->mobo) };
	struct outside_report report = { 0 };
	struct outside_run run;
	struct error e = { 0 };

	if (outside_start(&run, &what, &e) < 0)
		return session_fail(&e);
	while (!report.is_over) {
		struct pollfd p = { .fd = run.child.fd, .events = POLLIN };

		poll(&p, 1, clock_poll_ms(run.end + CLOCK_MS));
		while (!report.is_over && outside_take(&run, &report))
			if (!report.is_over)
				printf("%s\n", report.text);
		fflush(stdout);
	}
	outside_end(&run);
	if (report.error == 0)
		return EXIT_DONE;
	say("%s%s", report.text, report.has_fired ? "" : "; nothing was reset");
	return report.has_fired ? EXIT_NEGATIVE : EXIT_FAILED;
}

static bool start_modules(struct reset_run *run, enum exit_code *code)
{
	struct mobos *m = (struct mobos *)run;

	for (size_t i = 0; i < m->n; i++) {
		struct half h = { .mobo = &m->mobo[i], .act = mobo_start_modules };
		enum exit_code one = m->is_booted[i] ? run_half(&h) : EXIT_DONE;

		if (one != EXIT_DONE)
			*code = EXIT_NEGATIVE;
		else if (m->is_booted[i])
			printf("%s: its modules run\n", m->mobo[i].host);
	}
	return false;
}

static enum exit_code boot_all(struct reset_run *run)
{
	struct mobos *m = (struct mobos *)run;

	for (size_t i = 0; i < m->n; i++) {
		struct half h = { .mobo = &m->mobo[i], .act = mobo_boot };
		enum exit_code code = run_half(&h);

		m->is_booted[i] = code == EXIT_DONE;
		if (code == EXIT_DONE)
			continue;
		/* What was shut down before runs again. */
		start_modules(run, &code);
		return code;
	}
	return EXIT_DONE;
}

static void print_mobos(const struct mobos *m)
{
	for (size_t i = 0; i < m->n; i++) {
		printf("mobo %s: boot of ports", m->mobo[i].host);
		for (size_t k = 0; k < m->mobo[i].n_ports; k++)
			printf(" %s", m->mobo[i].ports[k]);
		printf(", shutdown of its modules, reset of %zu cards here, boot of its modules\n",
			m->mobo[i].n_cards);
	}
	fflush(stdout);
}

/* The cards here that hang on them, by their nodes. */
static size_t choose(struct mobos *m)
{
	const struct bus *bus = m->run.session.bus;
	size_t n = 0;

	for (size_t i = 0; i < bus->n; i++) {
		bool is_named = false;

		for (size_t k = 0; k < m->n; k++)
			for (size_t c = 0; c < m->mobo[k].n_cards; c++)
				is_named |= bus->dev[i].local < 0 &&
					bus->dev[i].node == m->mobo[k].cards[c];
		m->run.wanted[i] = is_named && m->run.session.wanted[i];
		n += m->run.wanted[i];
	}
	return n;
}

static enum exit_code reset_with_cards(struct mobos *m, const struct options *o)
{
	enum exit_code code = session_open(&m->run.session, o, true);

	if (code != EXIT_DONE)
		return code;
	if (!m->run.session.bus || choose(m) == 0) {
		say("none of the cards that hang on it (nb_host_pci_idx) is here; nothing was "
		    "reset");
		code = EXIT_NO_DEVICE;
	} else {
		m->run.first = boot_all;
		m->run.again = start_modules;
		code = reset_run_act(&m->run);
	}
	session_close(&m->run.session);
	return code;
}

static enum exit_code reset_alone(struct mobos *m, const struct options *o)
{
	char answer[16] = "";
	enum exit_code code;

	if (o->dry_run) {
		puts("nothing was reset (--dry-run)");
		return EXIT_DONE;
	}
	if (!o->yes && !o->typed[OPT_RESET] && (ask_line("Reset it? [y/N] ", answer,
		sizeof(answer)) < 0 || (answer[0] != 'y' && answer[0] != 'Y')))
		return EXIT_REFUSED;
	code = boot_all(&m->run);
	if (code == EXIT_DONE)
		start_modules(&m->run, &code);
	return code;
}

/* Simulated cards hang on no real host. */
static bool may_reach(const struct mobos *m, const struct options *o)
{
	for (size_t i = 0; i < m->n; i++)
		if (o->sim && strncmp(m->mobo[i].host, "127.", 4) != 0) {
			say("%s: with simulated cards only a server at 127.0.0.1 is asked",
				m->mobo[i].host);
			return false;
		}
	return true;
}

static enum exit_code reset_mobos(struct mobos *m, const struct options *o)
{
	const char *speed = o->sim ? getenv("TT_SMI_SIM_SPEED") : NULL;
	struct options local = *o;
	struct error e = { 0 };
	size_t n_cards = 0;

	if (!may_reach(m, o))
		return EXIT_USAGE;
	/* Upstream's servers have this user and password unless they were changed. */
	if (!o->dry_run && credentials_get(o, m->mobo[0].host, "admin:admin", &m->credentials,
		&e) < 0) {
		say("%s", e.text);
		return EXIT_REFUSED;
	}
	for (size_t i = 0; i < m->n; i++) {
		m->mobo[i].user = m->credentials.user;
		m->mobo[i].password = m->credentials.password;
		m->mobo[i].hurry = speed ? (unsigned)strtoul(speed, NULL, 10) : 1;
		n_cards += m->mobo[i].n_cards;
	}
	print_mobos(m);
	local.local = true;
	local.remote = false;
	return n_cards ? reset_with_cards(m, &local) : reset_alone(m, o);
}

bool mode_mobo_is_meant(const struct options *o)
{
	struct mobos *m = mem_calloc(1, sizeof(*m));
	bool meant = take_words(m, o, NULL) == 0 && m->n > 0;

	free(m);
	return meant;
}

enum exit_code mode_mobo(const struct options *o)
{
	struct mobos *m = mem_calloc(1, sizeof(*m));
	struct error e = { 0 };
	enum exit_code code;
	int r;

	m->run.o = o;
	m->run.setup.log.fd = -1;
	if (o->n_targets > 0 && !o->typed[OPT_RESET] && !o->yes && !o->dry_run &&
		!isatty(STDIN_FILENO)) {
		say("%s: asks before it resets, and standard input is no terminal: add -y",
			o->mode_option);
		free(m);
		return EXIT_REFUSED;
	}
	r = o->n_targets ? take_words(m, o, &e) : ask(m, &e);
	if (r == 0 && m->n == 0)
		r = fail(&e, -EINVAL, "no mobo is named (wh_mobo_reset)");
	if (r < 0) {
		say("%s", e.text);
		code = r == -EACCES ? EXIT_REFUSED : r == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	} else {
		code = reset_mobos(m, o);
	}
	credentials_clear(&m->credentials);
	free(m);
	return code;
}
