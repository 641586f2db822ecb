# SPDX-License-Identifier: GPL-3.0-or-later
# Fits a network to points, evaluates it and measures a slope from Julia, through the flat functions of steep/session.h:
#     julia fit.jl [libsteep.so]
# Options have the names of the command line, and results those of parameters.json.

const library = isempty(ARGS) ? "libsteep.so.0" : ARGS[1]

mutable struct Session
    handle::Ptr{Cvoid}
    function Session(; options...)
        words = String[]
        for (name, value) in options
            push!(words, replace(string(name), "_" => "-"), string(value))
        end
        GC.@preserve words begin
            list = [Base.unsafe_convert.(Cstring, Base.cconvert.(Cstring, words)); Cstring(C_NULL)]
            handle = @ccall library.steep_session_new(list::Ptr{Cstring}, C_NULL::Ptr{Cvoid}, C_NULL::Ptr{Cvoid})::Ptr{Cvoid}
        end
        handle == C_NULL && throw(OutOfMemoryError())
        finalizer(s -> (@ccall library.steep_session_free(s.handle::Ptr{Cvoid})::Cvoid), new(handle))
    end
end

# A negative status is a failure, and the library says why.
function check(status, message)
    status >= 0 && return
    text = String(message[1:something(findfirst(==(0x00), message), 1)-1])
    status == -3 ? throw(ArgumentError(text)) : error(text)
end

# x: a point per row, as the library has it, since matrices of both go column by column.
function fit(x::Matrix{Float64}, y::Vector{Float64}; options...)
    size(x, 1) == length(y) || throw(ArgumentError("$(size(x, 1)) points and $(length(y)) values"))
    session, message = Session(; options...), zeros(UInt8, 512)
    status = @ccall library.steep_session_fit(session.handle::Ptr{Cvoid}, length(y)::Csize_t, size(x, 2)::Csize_t,
        x::Ptr{Float64}, y::Ptr{Float64}, message::Ptr{UInt8})::Cint
    check(status, message)
    session
end

# Values at the rows of x, and the derivatives in its coordinates.
function evaluate(session::Session, x::Matrix{Float64})
    size(x, 2) == number(session, "dim") || throw(ArgumentError("the network is in $(number(session, "dim"))D"))
    y, gradient = zeros(size(x, 1)), zeros(size(x))
    status = @ccall library.steep_session_values(session.handle::Ptr{Cvoid}, length(y)::Csize_t, x::Ptr{Float64},
        y::Ptr{Float64}, gradient::Ptr{Float64})::Cint
    status < 0 && error("the values: status $status")
    y, gradient
end

function slope(sizes::Vector{Float64}, errors::Vector{Float64}; options...)
    length(sizes) == length(errors) || throw(ArgumentError("$(length(sizes)) sizes and $(length(errors)) errors"))
    session, message = Session(; options...), zeros(UInt8, 512)
    status = @ccall library.steep_session_slope(session.handle::Ptr{Cvoid}, length(sizes)::Csize_t,
        sizes::Ptr{Float64}, errors::Ptr{Float64}, C_NULL::Ptr{Float64}, message::Ptr{UInt8})::Cint
    check(status, message)
    session
end

number(session, name) = @ccall library.steep_session_number(session.handle::Ptr{Cvoid}, name::Cstring)::Float64

x = reshape(collect(range(-1, 1, 1000)), :, 1)
y = 1 ./ (1 .+ 25 .* x[:, 1] .^ 2)
widths = [4, 6, 8, 12, 16, 24, 32]
nets = [fit(x, y; arch = "gqu", width = width) for width in widths]
f, gradient = evaluate(nets[end], x)
rmse = sqrt(sum(abs2, f - y) / length(y))
println("width 32: rmse ", number(nets[end], "rmse_train"), ", by hand ", rmse)
isapprox(rmse, number(nets[end], "rmse_train"); rtol = 1e-6) || error("the values are not those of the fit")
steps = diff(f) ./ diff(x[:, 1])
maximum(abs, steps - (gradient[1:end-1, 1] + gradient[2:end, 1]) / 2) < 1e-2 || error("the derivatives are wrong")
law = slope([number(net, "params") for net in nets], [number(net, "rmse_train") for net in nets])
println("slope ", number(law, "slope"), " [", number(law, "low"), ", ", number(law, "high"), "]")
message = try fit(x, y; widht = 3); "" catch e; e.msg end
occursin("did you mean --width", message) || error("a misspelled option is not refused: $message")
