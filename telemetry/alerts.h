/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alerts.h - thresholds with hysteresis over the readings of cards.
 *
 * A rule is a name and a condition on a field.  Each sample of a card is checked once
 * against each rule.  Two samples in a row have to agree before an alert is raised or
 * cleared, so that a single torn sample does neither.  A sample without the reading is
 * ignored, and may come between those two.  So is one of a card in trouble, except by the rule
 * "lost", and a second read of what the firmware had written before.
 */
#pragma once

#include "base/error.h"
#include "telemetry/snapshot.h"

#define ALERTS_RULES 32		/* at most */
#define ALERTS_TEXT  400	/* bytes of a sentence about one */

enum alerts_kind {
	ALERTS_ABOVE,		/* "power > 140 clear 120" */
	ALERTS_BELOW,		/* "aiclk < 500 clear 800" */
	ALERTS_LOST		/* "lost": no answer, or the firmware has stopped */
};

struct alerts_rule {
	char name[32];
	enum alerts_kind kind;
	enum field_id field;			/* FIELD_NONE for ALERTS_LOST */
	int64_t raise, clear;			/* in the field's steps */
	char raise_text[24], clear_text[24];	/* the same, as the user wrote them */
};

/* An alert was raised or cleared. */
struct alerts_event {
	const struct alerts_rule *rule;
	bool raised;
	int chip;		/* its place in the fleet */
	int64_t value;		/* the deciding one, in the field's steps; 0 for ALERTS_LOST */
};

struct alerts;

/*
 * Parse "FIELD > VALUE clear VALUE", "FIELD < VALUE clear VALUE" or "lost".  -EINVAL says
 * what is wrong, but not in which file or line; the caller knows that.
 */
int alerts_parse(const char *name, const char *text, struct alerts_rule *rule, struct error *e);

/* Copies the n rules, at most ALERTS_RULES; alerts_free() takes NULL as well. */
struct alerts *alerts_new(const struct alerts_rule *rules, size_t n);
void alerts_free(struct alerts *a);

/*
 * Check a fresh snapshot against all rules (a NULL: there are none).  Raised alerts become
 * findings of the snapshot, changes become news.  Allocates nothing.
 */
void alerts_judge(struct alerts *a, struct snapshot *s);

/* The alerts raised and cleared since alerts_forget_news(), in the order of the samples. */
const struct alerts_event *alerts_news(const struct alerts *a, size_t *n);
void alerts_forget_news(struct alerts *a);

/*
 * The raised alerts, with the number of their cards where that is not 1: "hot 3, lost";
 * "4 alerts" where the names do not fit, "" where there is none.  Returns buf.
 */
char *alerts_standing(const struct alerts *a, char *buf, size_t size);

/* "alert hot raised: 0 p150a 0000:01:00.0: Core Temp 94.1 °C is above 85 °C"; returns buf. */
char *alerts_event_text(const struct alerts_event *event, const struct snapshot *s,
	char buf[static ALERTS_TEXT]);
