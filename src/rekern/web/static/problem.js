/** Show in place of the result why there is none. */
export function showProblem(words) {
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  problem.textContent = words;
  document.getElementById("result").replaceChildren(problem);
}
