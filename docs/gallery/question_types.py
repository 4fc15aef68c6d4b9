"""What kind of answer a question wants: the probabilities of the embedded model."""

from picture import GREY, INK, Picture, save

from rekern.questions import embedded_model

QUESTIONS = [
    "who wrote Hamlet?",
    "things to see in Krakow in two days",
    "why is the sky blue?",
    "how do I get a visa for Japan?",
    "what does ghosting mean",
    "google maps street view link",
    "is it worth buying a used car?",
    "winter vegetables",
]


def draw() -> Picture:
    """Draw a row for each question, darker for more probable types."""
    model = embedded_model()
    table = model.predict_proba(QUESTIONS)
    types = [str(name) for name in model.classes_]
    picture = Picture(820, 370, "Types of questions")
    picture.text(24, 36, "What kind of answer does a question want?", 16, bold=True)
    for m, name in enumerate(types):
        picture.text(335 + 84 * m, 72, name, 13, "middle", GREY)
    for n, question in enumerate(QUESTIONS):
        y = 84 + 34 * n
        picture.text(24, y + 20, question, 14)
        for m in range(len(types)):
            share = float(table[n, m])
            shade = f"rgb({round(240 - 209 * share)},{round(243 - 132 * share)},{round(247 - 69 * share)})"
            picture.box(295 + 84 * m, y, 80, 30, shade, 3)
            if share >= 0.01:
                color = "#ffffff" if share > 0.5 else INK
                picture.text(335 + 84 * m, y + 20, f"{share:.2f}", 13, "middle", color)
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
