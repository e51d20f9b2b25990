// What GraphiQL keeps in this browser (tabs, history, sizes), apart for each application and member.

export function storageOf(application, username, store = localStorage) {
  const prefix = `stratabase:${application}:${username}:`;
  const own = () => Object.keys(store).filter((key) => key.startsWith(prefix));
  return {
    get length() {
      return own().length;
    },
    getItem: (key) => store.getItem(prefix + key),
    setItem: (key, value) => store.setItem(prefix + key, value),
    removeItem: (key) => store.removeItem(prefix + key),
    clear: () => own().forEach((key) => store.removeItem(key)),
  };
}

// Whether the member has used GraphiQL before, so that it opens with the member's own tabs.
export function keepsTabs(storage) {
  return storage.getItem("graphiql:tabState") !== null;
}
