// What is kept behind the # of an address goes along when somebody signs in on the way to it.
const form = document.querySelector("main form");
form.action += location.hash;
document.documentElement.dataset.ready = "";
