"""A figure of eyelog's own: it has the look, and its title and legend fit its width."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, cast

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.offsetbox import HPacker, TextArea, VPacker
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from eyelog.errors import ConfigurationError
from eyelog.figures import fonts
from eyelog.figures.style import COLOURS, HIGHEST_MM, PAD_MM, QUIET_PT, SMALL_PT, inches, style

__all__ = ["MOST_SQUEEZED", "SteadyLayout", "StyledFigure", "own_figure", "title_lines"]

MOST_SQUEEZED: Final = 0.4  # of the height of the panels, to make room for a key
SHORTEST_PART: Final = 12  # characters of a title that are not shortened further


class SteadyLayout(ConstrainedLayoutEngine):
    """The constrained layout, without noise in its last digits.

    Its solver works through variables in the order of their addresses, so that the same figure
    differs by 1e-13 in the next run, and SVG names its clips after such numbers.
    """

    def execute(self, fig: Figure) -> None:
        """Place the Axes, to a millionth of a millimetre."""
        for _ in range(getattr(fig, "layouts", 1)):
            super().execute(fig)
        for ax in fig.axes:
            place = np.round(ax.get_position(original=True).get_points(), 8)
            # The public set_position would take the Axes out of the layout.
            cast(Any, ax)._set_position(Bbox(place), which="original")


class StyledFigure(Figure):
    """A figure of eyelog's own: it has the look each time it is drawn, at whatever size.

    Title and legend break into as many lines as the width of the figure requires, so that the same
    figure can be saved for one column, two columns and a page.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.fits: list[Callable[[], object]] = []
        # Artists placed beneath an Axes by a share of its height need different space after the
        # first layout has changed that height.
        self.layouts = 1
        # Whether the Axes have their final places: a label that breaks now would find no room.
        self.settled = False
        self.entries: dict[str, Artist] = {}
        self._fitted_px: float | None = None
        self._first_places: dict[Axes, Bbox] = {}
        # Letters that were missing when texts were measured before the drawing: matplotlib
        # remembers what it has measured, and does not say it again.
        self._missed: set[str] = set()
        self._title = ""
        self._panel_titles: tuple[str, ...] = ()
        self._note: tuple[str, str] = ("", "")
        self._foot = ""
        self._noted: list[TextArea] = []
        self.panels_in = 0.0  # the height that the panels were made for
        self.lane_in = 0.0  # what rows of numbers take of it besides
        self._lacking_in = 0.0  # what a page does not have of the height that was wanted

    def draw(self, renderer: Any) -> None:
        """Draw with the look, after fitting title, legend and labels to the size."""
        missed = self._draw(renderer, anew=not self.settled)
        if missed and fonts.find_letters(missed):
            self._missed.clear()
            self._set_families()
            missed = self._draw(renderer, anew=True)
        fonts.say_that_letters_are_missing(missed)

    def _draw(self, renderer: Any, *, anew: bool) -> set[str]:
        """Draw once, and return the letters that no font has."""
        with style(), fonts.letters_missed() as missed:
            if anew:
                self._begin_anew()
            self.fit()
            super().draw(renderer)
        if self._missed:
            missed |= self._missed & {*"".join(text.get_text() for text in self.findobj(Text))}
        return missed

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Measure texts before the figure is drawn: the drawing says which letters are missing."""
        with fonts.letters_missed() as missed:
            yield
        self._missed |= missed

    def savefig(self, *args: Any, **settings: Any) -> None:
        """Save the figure, and report if the font that journals want is not installed."""
        fonts.say_that_the_font_is_replaced()
        super().savefig(*args, **settings)

    def _set_families(self) -> None:
        """Let all texts use the letters of fonts that have been found since they were made."""
        for text in self.findobj(Text):
            text.set_fontfamily(list(dict.fromkeys([*text.get_fontfamily(), *fonts.families()])))
        self._fitted_px = None

    def _begin_anew(self) -> None:
        """Forget what an earlier drawing left: the same figure gives the same file each time.

        A text measures itself with the renderer that last drew it, also if that was of another
        resolution, and the layout begins at the places where the last one ended.
        """
        for text in self.findobj(Text):
            cast(Any, text)._renderer = None
        if isinstance(self.get_layout_engine(), SteadyLayout):
            for ax in self.axes:
                place = self._first_places.setdefault(ax, ax.get_position(original=True).frozen())
                cast(Any, ax)._set_position(place)

    def fit(self) -> None:
        """Fit title, legend and labels to the present size of the figure."""
        width = float(self.bbox.width)
        if self._title and self._panel_titles != self._titles_of_first_panel():
            self.suptitle("")  # the user has replaced our title
        for fit in self.fits:  # one may need a note in the legend
            fit()
        if width != self._fitted_px:
            self._fitted_px = width
            self._fit_title(width)
            self._fit_legend(width)

    def set_title(self, text: str) -> None:
        """Write the title at the left; it breaks between its parts if it is too long."""
        self._title, self._fitted_px = text, None
        self.keep_panel_titles()
        if text:
            self._write_title(text)

    def suptitle(self, t: str, **kwargs: Any) -> Text:
        """Set the title of the figure; the user's own replaces eyelog's."""
        self._title = ""
        return super().suptitle(t, **kwargs)

    def keep_panel_titles(self) -> None:
        """Remember how eyelog has titled the first panel, to see when the user titles it."""
        self._panel_titles = self._titles_of_first_panel()

    def _titles_of_first_panel(self) -> tuple[str, ...]:
        places: tuple[Literal["left", "center", "right"], ...] = ("left", "center", "right")
        return tuple(self.axes[0].get_title(place) for place in places) if self.axes else ()

    def add_entries(self, entries: Sequence[tuple[str, Artist]]) -> None:
        """Add entries to the one legend under the figure; each label has one entry."""
        for label, handle in entries:
            self.entries.setdefault(label, handle)
        if "no record" in self.entries:  # after the states of all panels
            self.entries["no record"] = self.entries.pop("no record")
        self._begin_legend()

    @property
    def note(self) -> tuple[str, str]:
        """What is written above the legend: the result, and what it is based on."""
        return self._note

    def set_note(self, result: str, facts: str) -> None:
        """Write above the legend what the figure says (bold), and what that is based on."""
        self._note = (result, facts)
        self._begin_legend()

    def set_foot(self, text: str) -> None:
        """Write a quiet line beneath the legend, or take it away if the text is empty."""
        self._foot = text
        self._begin_legend()

    def height_at(self, width_in: float) -> float:
        """Return the height in inches that keeps the panels' height at another width.

        At a narrower width, title and legend have more lines, which need space.
        """
        width, height = (float(side) for side in self.get_size_inches())
        with style(), self.measuring():
            self.fit()
            lines_here = self._lines_in()
            self.set_size_inches(width_in, height, forward=False)
            self.fit()
            lines_at_width = self._lines_in()
            self.set_size_inches(width, height, forward=False)
        needed = height + self._lacking_in + lines_at_width - lines_here
        self._refuse_too_long_a_key(needed)
        return max(min(needed, inches(HIGHEST_MM)), min(height, inches(HIGHEST_MM)))

    def make_room(self, already_mm: float = 0.0) -> None:
        """Make the figure higher by what its note and rows of numbers take, up to a page.

        Parameters
        ----------
        already_mm : float
            What the figure was made higher for a note when its panels were.
        """
        with style(), self.measuring():
            self.fit()
            renderer = cast(Any, self)._get_renderer()
            taken = sum(float(text.get_window_extent(renderer).height) for text in self._noted)
        width, height = (float(side) for side in self.get_size_inches())
        more = max(taken / self.dpi - inches(already_mm), 0.0) + self.lane_in
        needed = height + self._lacking_in + more
        self._refuse_too_long_a_key(needed)
        self._lacking_in = max(needed - inches(HIGHEST_MM), 0.0)
        self.set_size_inches(width, needed - self._lacking_in, forward=False)

    def _refuse_too_long_a_key(self, height_in: float) -> None:
        if any(self._note) and height_in - inches(HIGHEST_MM) > MOST_SQUEEZED * self.panels_in:
            mm = 25.4 * height_in
            raise ConfigurationError(
                f"with the key to its numbers this figure would be {mm:.0f} mm high, and a page has"
                f" {HIGHEST_MM}: draw fewer days or fewer events, shorten their labels, or save the"
                " figure wider"
            )

    def lay_out(self) -> None:
        """Place the panels as the drawing will, for marks that depend on how long an axis is."""
        engine = self.get_layout_engine()
        if isinstance(engine, SteadyLayout):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the figure may not yet have its height
                with self.measuring():
                    engine.execute(self)

    def _lines_in(self) -> float:
        """Return the height of the lines of title and legend and of rows of numbers, in inches."""
        parts = [*self.legends, *([cast(Any, self)._suptitle] if self._title else [])]
        renderer = cast(Any, self)._get_renderer()
        lines = sum(float(part.get_window_extent(renderer).height) for part in parts)
        return lines / self.dpi + self.lane_in

    def _begin_legend(self) -> None:
        """Write the legend in one line, which the next drawing fits to the width."""
        self._fitted_px = None
        with self.measuring():
            self._draw_legend(len(self.entries))

    def _draw_legend(self, columns: int) -> None:
        for old in list(self.legends):
            old.remove()
        if not (self.entries or any(self._note) or self._foot):
            return
        # matplotlib fills columns; people read lines.
        labels = [label for first in range(columns) for label in list(self.entries)[first::columns]]
        made: Any = self.legend(
            [self.entries[label] for label in labels],
            labels,
            loc="outside lower left",
            ncols=max(columns, 1),
        )
        box = made._legend_box
        box.align = "left"
        result, facts = self._note
        above = [self._text_within(result, weight="bold"), self._text_within(facts)]
        self._noted = list(filter(None, above))
        foot = self._text_within(self._foot, size=QUIET_PT, color=COLOURS["quiet"])
        box._children = [*self._noted, *box._children, *filter(None, [foot])]
        box.set_figure(self)

    def _text_within(self, text: str, **look: Any) -> TextArea | None:
        """Return a text of the legend in lines of the figure's width.

        It is broken at spaces, and within a word only if that is longer than a line.
        """
        if not text:
            return None
        room = float(self.bbox.width) * 0.98
        look = {"size": SMALL_PT, "color": COLOURS["text"]} | look
        area = TextArea(text, textprops=look)
        area.set_figure(self)
        renderer = cast(Any, self)._get_renderer()

        def fits(line: str) -> bool:
            area.set_text(line)
            return bool(area.get_window_extent(renderer).width <= room)

        lines = [""]
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}" if lines[-1] else word
            if fits(longer):
                lines[-1] = longer
            elif fits(word):
                lines.append(word)
            else:  # as of Japanese, which has no spaces
                for letter in longer[len(lines[-1]) :]:
                    if fits(lines[-1] + letter):
                        lines[-1] += letter
                    else:
                        lines.append(letter)
        area.set_text("\n".join(lines))
        return area

    def _fit_legend(self, width: float) -> None:
        n = len(self.entries)
        self._draw_legend(n)
        if n <= 1 or self._legend_fits(width):
            return
        running = self._running_lines(width * 0.98)
        for lines in range(2, len(running) + 2):
            columns = -(-n // lines)
            if columns == 1 or self._columns_fit(columns, width):
                self._draw_legend(columns)
                return
        self._set_running(running)

    def _legend_fits(self, width: float) -> bool:
        return float(self.legends[0].get_window_extent().width) <= width * 0.98

    def _columns_fit(self, columns: int, width: float) -> bool:
        """Return whether a legend of that many columns fits, by the entries of the one line."""
        widths = [wide for _, wide in self._entries_of_line()]
        needed = [max(widths[first::columns]) for first in range(columns)]
        return sum(needed) + self._gap_px() * (columns - 1) <= width * 0.98

    def _entries_of_line(self) -> list[tuple[Any, float]]:
        """Return the entries of a one-line legend, and how wide each is."""
        made: Any = self.legends[0]
        entries = [column.get_children()[0] for column in made._legend_handle_box.get_children()]
        return [(entry, float(entry.get_window_extent().width)) for entry in entries]

    def _gap_px(self) -> float:
        return float(mpl.rcParams["legend.columnspacing"]) * SMALL_PT * self.dpi / 72

    def _running_lines(self, width: float) -> list[list[Any]]:
        """Break the entries of a one-line legend into lines, like the words of a text."""
        gap = self._gap_px()
        lines: list[list[Any]] = []
        taken = 0.0
        for entry, wide in self._entries_of_line():
            if lines and taken + gap + wide <= width:
                lines[-1].append(entry)
                taken += gap + wide
            else:
                lines.append([entry])
                taken = wide
        return lines

    def _set_running(self, lines: list[list[Any]]) -> None:
        """Set entries line by line: one long label would make a column of the whole legend."""
        made: Any = self.legends[0]
        across = mpl.rcParams["legend.columnspacing"] * SMALL_PT
        down = mpl.rcParams["legend.labelspacing"] * SMALL_PT
        packed: list[Any] = [
            HPacker(pad=0, sep=across, align="baseline", children=line) for line in lines
        ]
        box: Any = VPacker(pad=0, sep=down, align="baseline", children=packed)
        box.set_figure(self)
        parts = made._legend_box._children
        parts[parts.index(made._legend_handle_box)] = box
        made._legend_handle_box = box

    def _fit_title(self, width: float) -> None:
        if not self._title:
            return

        def fits(text: str) -> bool:
            self._write_title(text)
            return self._width_of_title() <= width * 0.98

        self._write_title("\n".join(title_lines(self._title, fits)))

    def _write_title(self, text: str) -> None:
        super().suptitle(text, x=inches(PAD_MM) / self.get_figwidth(), ha="left")

    def _width_of_title(self) -> float:
        # A text remembers the renderer that first measured it, whatever its resolution.
        renderer = cast(Any, self)._get_renderer()
        return float(cast(Any, self)._suptitle.get_window_extent(renderer).width)


def own_figure(ax: Axes | None) -> StyledFigure | None:
    """Return the figure of an Axes if it is eyelog's own, otherwise None."""
    figure = None if ax is None else ax.get_figure(root=True)
    return figure if isinstance(figure, StyledFigure) else None


def title_lines(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Break a title between its parts; a part that is too long by itself loses its middle."""
    lines: list[str] = []
    for part in text.split(" · "):
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and fits(longer):
            lines[-1] = longer
            continue
        shown, kept = part, len(part)
        while kept > SHORTEST_PART and not fits(shown):
            kept -= 1
            tail = kept // 2
            shown = f"{part[: kept - tail]}\N{HORIZONTAL ELLIPSIS}{part[len(part) - tail :]}"
        lines.append(shown)
    return lines
