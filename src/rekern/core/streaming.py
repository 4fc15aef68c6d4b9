"""Writing past the caches into a place of a large matrix, for compiled functions."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs


def _define():
    """Define the function that Numba compiles to one instruction. What is written does not depend on it.

    A plain write first reads the line of memory that it changes; one past the caches does not, if the whole line is
    written at once. It pays where more is written than fits into the caches, and nobody reads it soon.
    """
    from numba.core import cgutils, types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic

    @intrinsic
    def stream(typing_context, matrix, row, column, value):
        if not matrix.mutable:
            raise TypingError("the matrix is read-only")

        def generate(context, builder, signature, arguments):
            kind, ir = signature.args[0], cgutils.ir
            given = context.make_array(kind)(context, builder, arguments[0])
            pointer = cgutils.get_item_pointer(context, builder, kind, given, list(arguments[1:3]), wraparound=False)
            number = context.cast(builder, arguments[3], signature.args[3], kind.dtype)
            stored = builder.store(number, pointer)
            stored.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(cgutils.int32_t, 1)]))
            return context.get_dummy_value()

        return types.none(matrix, types.intp, types.intp, value), generate

    return stream


stream = _define()
