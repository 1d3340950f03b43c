// Chooses every node that is drawn; tells what the panel says and whether anything sticks out.
(() => {
  const out = [], panel = document.getElementById('panel');
  for (const i of [...document.querySelectorAll('[data-i]')].map(g => g.getAttribute('data-i'))) {
    document.querySelector(`[data-i="${i}"]`).dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const g = document.querySelector(`[data-i="${i}"]`), card = g.querySelector('.card').getBoundingClientRect();
    const outside = [...g.querySelectorAll('text')].filter(t => !t.closest('.tog')).some(t => {
      const r = t.getBoundingClientRect();
      return r.left < card.left - 1 || r.right > card.right + 1 || r.bottom > card.bottom + 1;
    });
    out.push([
      +i,
      panel.querySelector('h2').textContent,
      panel.querySelector('.say').textContent,
      outside,
      document.documentElement.scrollWidth > innerWidth,
      panel.scrollWidth > panel.clientWidth,
    ]);
  }
  return out;
})();
