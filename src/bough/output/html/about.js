// The page about the model: how good, how large, how grown.
function curve(points, label, X, Y, xs, ys, notes) {
  const S = frame(190, label), A = sv('g', 'axis', ys.map(([v, t]) => [line('rule1', 44, Y(v), 360, Y(v)), text('', 38, Y(v) + 3.5, 'end', t)]), xs.map(([v, t]) => text('', X(v), 171, 'middle', t)), notes.map(([x, y, t]) => text('', x, y, 'end', t)));
  return add(S, [A, points.map(([cls, p]) => [sv('path', { class: cls, d: 'M' + p.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`).join('L') }), cls === 'curve' && p.map(([x, y]) => sv('circle', { class: 'dot', cx: X(x), cy: Y(y), r: 2.5 }))])]);
}
function aboutScore() {
  const d = GIVEN, S = d && d.score, it = D.of ? 'this forest' : 'this tree';
  if (!S) return section('Performance', 'Give the report labelled rows to see it.');
  const grew = GIVEN.train && 'These are the rows that the tree was fitted to: on new rows it is worse. Give the report test rows.';
  if (REG) return section('Performance', grew, el('p', 'big', '± ' + num(S.rmse, 3)), el('p', 'sub', `Root mean square error on ${shownRows(d.n)}; R² ${num(S.r2, 3)}.`), bar(it, S.rmse, S.base, num(S.rmse, 3), true), bar('always the mean', S.base, S.base, num(S.base, 3)));
  const money = S.cost != null && [el('p', 'big', num(S.cost, 3)), el('p', 'sub', `is the mean cost of a prediction, over ${shownRows(d.n)}.`), bar(it, S.cost, max(S.cost, S.least), num(S.cost, 3), true), bar(`always “${CLASSES[S.cheap]}”`, S.least, max(S.cost, S.least), num(S.least, 3))];
  return section('Performance', grew, money, el('p', 'big', pct1(S.acc)), el('p', 'sub', `of ${shownRows(d.n)} are predicted correctly. Log-loss ${num(S.loss, 3)}, Brier score ${num(S.brier, 3)}${S.auc == null ? '' : `, AUC ${num(S.auc, 3)}`}.`), bar(it, S.acc, 1, pct1(S.acc), true), bar(`always “${CLASSES[S.common]}”`, S.base, 1, pct1(S.base)));
}
function confusion() {
  const c = GIVEN?.conf;
  if (!c) return null;
  return section('Confusion matrix', `Each line has the ${SET} rows of one class; deeper blue is a larger share of them.`, el('div', 'wide', el('table', 'conf', el('thead', null, el('tr', null, el('th', null, 'actual ↓  predicted →'), CLASSES.map(k => el('th', { scope: 'col' }, k)))),
    el('tbody', null, c.map((r, j) => { const n = sum(r) || 1; return el('tr', null, el('th', { scope: 'row' }, CLASSES[j]), r.map(v => el('td', { class: 'q', vars: { '--s': round(70 * v / n) } }, num(v, 9)))); })))));
}
function groups() {
  const b = D.by, P = v => REG ? num(v, 3) : pct1(v);
  if (!b) return null;
  const auc = b.v.some(g => g[5] != null);
  return section(`${REG ? 'Error' : 'Accuracy'} by ${b.n}`, `${REG ? 'Root mean square error' : 'Share of rows predicted correctly'}, with a 95${NB}% interval: groups whose intervals overlap may differ by chance.`, el('div', 'wide', table([b.n, 'rows', REG ? 'error' : 'accuracy', '95' + NB + '%', ...(auc ? ['AUC'] : [])], b.v.map(g => [g[0], num(g[1], 9), P(g[2]), g[4] == null ? '–' : `${P(g[3])} to ${P(g[4])}`, ...(auc ? [g[5] == null ? '–' : num(g[5], 3)] : [])]))));
}
function calibration() {
  const c = GIVEN?.cal;
  if (!c) return null;
  const X = v => 44 + 316 * v, Y = v => 156 - 144 * v, t = [0, .25, .5, .75, 1].map(v => [v, pct(v)]);
  return section('Calibration', `Accuracy on the ${SET} rows by the probability of the predicted class; on the dashed line both are equal.`, curve([['dash', [[0, 0], [1, 1]]], ['curve', c.map(q => [q[0], q[1]])]], 'Calibration', X, Y, t, t, [[360, 186, 'probability →']]));
}
function pruning() {
  const p = D.prune;
  if (!p || p.length < 2) return null;
  const top = max(...p.map(q => q[0]), 2), v = p.flatMap(q => q.slice(1, 3).filter(x => x !== null)), lo = min(...v), hi = max(...v), X = n => 44 + 316 * log(n) / log(top), Y = e => 156 - 144 * (e - lo) / (hi - lo || 1);
  const line_ = k => p.filter(q => q[k] != null).map(q => [q[0], q[k]]), two = line_(2);
  return section('What does pruning do?', `${REG ? 'Root mean square error' : 'Error'} by number of leaves${two.length ? `: ${D.cv ? 'cross-validated' : `on the ${SET} rows`} (dots) and in training (dashed)` : ' in training'}.`, curve([['dash', line_(1)], ...(two.length ? [['curve', two]] : [])], 'Error by number of leaves', X, Y, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].filter(n => n <= top).map(n => [n, n]), ticks(lo, hi).map(e => [e, num(e, 3)]), [[360, 186, 'leaves →']]));
}
function refinement() {
  const r = D.refined;
  if (!r) return null;
  const p = r.p.map((q, i) => [i + 1, q[1], q[0]]), v = p.map(q => q[1]), lo = min(...v), hi = max(...v), X = n => 44 + 316 * (n - 1) / (p.length - 1 || 1), Y = e => 156 - 144 * (e - lo) / (hi - lo || 1);
  const stages = r.s.map((s, k) => ['curve', p.filter(q => q[2] === k).map(q => [q[0], q[1]])]).filter(s => s[1].length);
  return section('How far was it refined?', `${r.c ? r.c[0].toUpperCase() + r.c.slice(1) + '. ' : ''}Objective after each pass, a line for each stage: ${list(r.s.length > 4 ? [...r.s.slice(0, 2), '…', r.s[r.s.length - 1]] : r.s, 'then')}.`, curve(stages, 'Objective by pass', X, Y, ticks(1, max(p.length, 2)).filter(n => n % 1 === 0 && n <= p.length).map(n => [n, n]), ticks(lo, hi).map(e => [e, num(e, 3)]), [[360, 186, 'passes →']]));
}
// Trees that cost hardly more than this one, of other columns.
function near() {
  const r = D.near;
  if (!r) return null;
  const one = r.n < 2, all = r.c.filter(c => c[1] === r.n), none = COLUMNS.length - r.c.length, few = r.t.map(([v, leaves, root, rest]) => [num(v, 6), leaves, root < 0 ? '–' : name(root), rest.filter(c => !all.some(a => a[0] === c)).map(name).join(', ') || '–']);
  return section('What is nearly as good?', `${one ? `No other choice of columns makes a tree of this depth whose objective is within ${pct1(r.w)}` : `${num(r.n, 9)} trees of this depth, each with another choice of columns, have an objective within ${pct1(r.w)}`} of the least, ${num(r.t[0][0], 6)}${r.d ? '' : '; the search was cut off, there may be more'}.${one ? '' : ` ${all.length ? `All of them use ${list(all.map(c => name(c[0])), 'and')}` : 'No column is in all of them'}; ${none ? `${num(none, 9)} of ${COLUMNS.length} columns are in none` : 'every column is in some'}.`}`,
    !one && [el('p', 'sub', 'Trees that use a column:'), r.c.slice(0, 12).map(([c, n], j) => bar(name(c), n, r.n, num(n, 9), n === r.n)), table(['objective', 'leaves', 'first split', 'besides those in all'], few), r.n > few.length && el('p', 'sub', `and ${num(r.n - few.length, 9)} more`)]);
}
// Of a boosted tree: the loss after each round.
function rounds() {
  const r = D.rounds;
  if (!r) return null;
  const lines = [r.v ? ['dash', r.t] : ['ks', r.t], ['ks', r.v]].filter(q => q[1]), v = lines.flatMap(q => q[1].map(p => p[1])), lo = min(...v), hi = max(...v), X = n => 44 + 316 * n / (r.at[1] || 1), Y = e => 156 - 144 * (e - lo) / (hi - lo || 1);
  const say = `The tree shown is of round ${r.at[0]} of ${r.at[1]}${r.c ? `, for ${r.c}` : ''}. It predicts a step, and the steps of all rounds are added up.`;
  return section('All rounds together', say, r.f && [el('p', 'sub', `On ${shownRows(GIVEN.n)}:`), facts(r.f)], lines.length && [el('p', 'sub gapped', `${r.w} after each round: in training${r.v ? ` (dashed) and on the rows held out, where round ${r.best} is the best` : ''}.`),
    curve(lines, r.w + ' by round', X, Y, ticks(0, r.at[1]).filter(n => n % 1 === 0).map(n => [n, n]), ticks(lo, hi).map(e => [e, num(e, 3)]), [[360, 186, 'rounds →']])]);
}
// A line for each class, in steps where the tree has cuts; of categories a bar for each.
function dependence(d) {
  const all_ = d.y.flat(), lo = REG ? min(...all_) : 0, hi = REG ? max(...all_) : 1, Y = v => 156 - 144 * (v - lo) / (hi - lo || 1), head = el('p', 'sub gapped', bold(name(d.c)));
  if (d.v) {
    const range = y => max(...y) - min(...y), k = highest(d.y.map(range)), C = COLUMNS[d.c];
    return [add(head, [REG ? '' : `, share of ${CLASSES[k]}`]), d.v.slice(0, 12).map((v, j) => bar(C.v ? value(d.c, v) : String(!!v), d.y[k][j] - (REG ? min(lo, 0) : 0), REG ? hi - min(lo, 0) : 1, REG ? num(d.y[k][j], 3) : pct(d.y[k][j])))];
  }
  const a = d.x[0], b = d.x[d.x.length - 1], X = v => 44 + 316 * (v - a) / (b - a || 1), steps = d.x.length > d.y[0].length;
  const lines = d.y.map((y, k) => [REG ? 'ks' : 'ks ' + klass(k), y.flatMap((v, j) => steps ? [[d.x[j], v], [d.x[j + 1], v]] : [[d.x[j], v]])]);
  return [head, curve(lines, `Dependence on ${name(d.c)}`, X, Y, ticks(a, b).filter((v, j) => !isMoment(d.c) || j % 2).map(v => [v, cell(d.c, v, 4)]), ticks(lo, hi).map(v => [v, REG ? num(v, 3) : pct(v)]), [])];
}
function about() {
  const imp = D.imp.map((v, c) => [name(c), v]).filter(a => a[1] > 0).sort((a, b) => b[1] - a[1]), by = Array.from({ length: LEVELS + 1 }, () => [0, 0]);
  for (let i = 0; i < COUNT; i++) by[depths[i]][isLeaf(i) ? 1 : 0]++;
  const most = by.reduce((a, b) => max(a, b[0] + b[1]), 0), cols = COLUMNS.slice(0, 40);
  $('model').replaceChildren(...[rounds() || aboutScore(), groups(), confusion(), calibration(),
    section('Importance', `Share of each column in all gain${D.rounds ? ' of all rounds' : ''}. ${imp.length} of ${COLUMNS.length} columns are used${imp.length > 10 ? '; the first ten' : ''}.`, imp.slice(0, 10).map(([t, v], j) => bar(t, v, imp[0][1], pct(v), !j))),
    D.shap && section('Importance by contributions', `Mean size of each column's Shapley values over ${shownRows(D.shap.n)}, in ${D.rounds ? 'what the steps add up to' : REG ? `units of ${TARGET}` : 'shares of classes'}: how far it moves predictions.`, D.shap.c.slice(0, 10).map(([c, v], j) => bar(name(c), v, D.shap.c[0][1], num(v, 3), !j))),
    D.dep?.length && section('Partial dependence', `${REG ? 'The mean prediction' : 'The mean share of each class'} when one column has one value after the other and the rest of each row stays as it is.`, !REG && el('p', 'shares', CLASSES.map((c, k) => span(swatch(k), c))), D.dep.map(dependence)),
    D.limits && section('Constraints and costs', null, facts(D.limits)),
    section('How large is it?', `${D.of || D.rounds ? 'The tree shown: ' : ''}${num(COUNT, 9)} nodes, ${num(LEAVES, 9)} of them leaves. Nodes at each level, leaves in full.`, by.slice(0, 40).map((b, d) => { const r = bar('level ' + d, b[0] + b[1], most, num(b[0] + b[1], 9)); r.children[1].append(el('i', { class: 'ink', vars: { width: 100 * b[1] / most + '%' } })); return r; }), by.length > 40 && el('p', 'sub', `and ${by.length - 40} deeper levels`)),
    refinement(), near(), pruning(), section('How was it grown?', 'Parameters that are not defaults.', facts(D.params)),
    D.edits && section('Changed by hand', 'This tree is not as it was grown. Changes, oldest first:', facts(D.edits.map((e, i) => [i + 1, e]))),
    section('The columns', null, table(['column', 'kind', 'range', 'missing'], cols.map((c, j) => [c.n, c.k.replace('_utc', ', UTC'), c.q ? `${cell(j, c.q[0], 4)} to ${cell(j, c.q[1], 4)}` : c.v ? `${num(c.v.length, 9)} values` : '–', c.gaps ? num(c.gaps, 9) : '–'])), COLUMNS.length > cols.length && el('p', 'sub', `and ${COLUMNS.length - cols.length} more`)),
    section('The file', null, facts(D.file))].filter(Boolean));
}
