/** Sessions in the order of their first turn. */
export const sessionsFirst = (ids, sessionOf) => [...new Set(ids.map((id) => sessionOf.get(id)))];
