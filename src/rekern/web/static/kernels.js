// The number beside each slider.
for (const slider of document.querySelectorAll('input[type="range"]')) {
  slider.addEventListener("input", () => {
    document.querySelector(`output[for="${slider.id}"]`).textContent = slider.value;
  });
}
