const rootwise = require("rootwise");
const converse = require("./converse.js");

console.log(JSON.stringify(converse(rootwise)));
