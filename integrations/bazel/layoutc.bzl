"""The sources of a CUDA program in other data layouts.

    load("@layoutc_rules//:layoutc.bzl", "layoutc_sources")

    layoutc_sources(
        name = "rewritten",
        srcs = glob(["src/*.cu"]),
        hdrs = glob(["include/*.h", "src/*.h"]),
        includes = ["include"],
    )

`rewritten` has each file at its path below a folder of that name: compile it with `cuda_library` of rules_cuda, or any
other rule, with `includes = ["rewritten/include"]`. All files of one program belong into one `layoutc_sources`.
"""

def _layoutc_sources(ctx):
    sources = ctx.files.srcs + ctx.files.hdrs
    for source in sources:
        if not source.is_source:
            fail("{} is generated; layoutc_sources takes files of the source tree".format(source.short_path))

    # Files are written at their paths from the workspace.
    prefix = ctx.label.package + "/" if ctx.label.package else ""
    outputs = [
        ctx.actions.declare_file(ctx.label.name + "/" + source.short_path[len(prefix):])
        for source in sources
    ]
    folder = "/".join([
        part
        for part in [ctx.bin_dir.path, ctx.label.package, ctx.label.name]
        if part
    ])

    parameters = ctx.actions.args()
    parameters.set_param_file_format("multiline")
    parameters.use_param_file("@%s", use_always = True)
    parameters.add_all(ctx.files.srcs)
    for include in ctx.attr.includes:
        parameters.add("-I" + prefix + include)
    for define in ctx.attr.defines:
        parameters.add("-D" + define)
    for layout in ctx.attr.layouts:
        parameters.add("--layout=" + layout)
    for name in ctx.attr.keep:
        parameters.add("--keep=" + name)
    for name in ctx.attr.require:
        parameters.add("--require=" + name)
    parameters.add("--")
    parameters.add_all(ctx.files.hdrs)

    ctx.actions.run(
        executable = ctx.file._transform,
        arguments = [ctx.attr.layoutc, folder, prefix, parameters],
        inputs = sources,
        outputs = outputs,
        mnemonic = "Layoutc",
        progress_message = "Rewriting %{label}",
        # layoutc is found where the shell finds it.
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset(outputs))]

layoutc_sources = rule(
    implementation = _layoutc_sources,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu", ".cpp", ".cc", ".cxx", ".c", ".cl"], mandatory = True),
        "hdrs": attr.label_list(allow_files = True, doc = "All headers of the program."),
        "includes": attr.string_list(doc = "Folders of headers, from the package."),
        "defines": attr.string_list(doc = "Macros: `NAME` or `NAME=VALUE`."),
        "layouts": attr.string_list(doc = "As `--layout`: `Particle = soa`."),
        "keep": attr.string_list(doc = "As `--keep`."),
        "require": attr.string_list(doc = "As `--require`."),
        "layoutc": attr.string(default = "layoutc", doc = "The program."),
        "_transform": attr.label(default = Label("//:transform.sh"), allow_single_file = True),
    },
)
