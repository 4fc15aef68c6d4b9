"""A hint to the processor that a place of an array is needed soon, for compiled functions."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

TO_READ, EVERY_CACHE, DATA = 0, 3, 1  # the last three arguments of LLVM's prefetch


def _define():
    """Define the function that Numba compiles to one instruction. No result depends on it."""
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def prefetch(typing_context, array, index):
        def generate(context, builder, signature, arguments):
            given = context.make_array(signature.args[0])(context, builder, arguments[0])
            pointer = builder.bitcast(builder.gep(given.data, [arguments[1]]), cgutils.voidptr_t)
            number, ir = cgutils.int32_t, cgutils.ir
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            builder.call(function, [pointer, *(number(value) for value in (TO_READ, EVERY_CACHE, DATA))])
            return context.get_dummy_value()

        return types.none(array, types.intp), generate

    return prefetch


prefetch = _define()
