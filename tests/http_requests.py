"""Requests at the edge of HTTP: forbidden ones, each with a smuggled request, and allowed ones."""

from __future__ import annotations

JSON = b"Content-Type: application/json\r\n"
POST = b"POST /generate HTTP/1.1\r\nHost: localhost\r\n" + JSON
HIDDEN = b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"
# Each hides a second request in the body of the first, behind what two readers may read in two ways.
SMUGGLED = {
    "blank before the colon": POST + b"Content-Length : 42\r\n\r\n" + HIDDEN,
    "tab before the colon": POST + b"Content-Length\t: 42\r\n\r\n" + HIDDEN,
    "length on a folded line": POST + b"X: a\r\n Content-Length: 42\r\n\r\n" + HIDDEN,
    "folded length": POST + b"Content-Length:\r\n 42\r\n\r\n" + HIDDEN,
    "length behind a bare LF": POST + b"X: a\nContent-Length: 42\r\n\r\n" + HIDDEN,
    "length behind a bare CR": POST + b"X: a\rContent-Length: 42\r\n\r\n" + HIDDEN,
    "NUL in a name": POST + b"Content-Length\0: 42\r\n\r\n" + HIDDEN,
    "NUL in a value": POST + b"X: a\0\r\nContent-Length: 42\r\n\r\n" + HIDDEN,
    "vertical tab": POST + b"Transfer-Encoding: \x0bchunked\r\nX: y\r\n\r\n0\r\n\r\n" + HIDDEN,
    "sign": POST + b"Content-Length: +42\r\n\r\n" + HIDDEN,
    "hexadecimal": POST + b"Content-Length: 0x2a\r\n\r\n" + HIDDEN,
    "digits of Arabic": POST + "Content-Length: ٤٢\r\n\r\n".encode() + HIDDEN,
    "underscore": POST + b"Content-Length: 4_2\r\n\r\n" + HIDDEN,
    "a list of lengths": POST + b"Content-Length: 42, 42\r\n\r\n" + HIDDEN,
    "two lengths": POST + b"Content-Length: 42\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "empty length": POST + b"Content-Length:\r\n\r\n" + HIDDEN,
    "length and chunks": CHUNKED + b"Content-Length: 42\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunks twice": CHUNKED + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" + HIDDEN,
    "coding before chunks": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "coding of no name": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunks of HTTP/1.0": CHUNKED.replace(b"1.1", b"1.0", 1) + b"\r\n0\r\n\r\n" + HIDDEN,
    "chunk size with prefix": CHUNKED + b"\r\n0x2\r\n{}\r\n0\r\n\r\n" + HIDDEN,
    "chunk size of Arabic": CHUNKED + "\r\n٢\r\n{}\r\n0\r\n\r\n".encode() + HIDDEN,
    "chunk size with sign": CHUNKED + b"\r\n+2\r\n{}\r\n0\r\n\r\n" + HIDDEN,
    "blank before a chunk size": CHUNKED + b"\r\n 2\r\n{}\r\n0\r\n\r\n" + HIDDEN,
    "LF in a chunk extension": CHUNKED + b"\r\n2;a\nb\r\n{}\r\n0\r\n\r\n" + HIDDEN,
    "LF for CR LF": CHUNKED + b"\r\n2\n{}\n0\n\n" + HIDDEN,
    "no line end behind a chunk": CHUNKED + b"\r\n2\r\n{}XX0\r\n\r\n" + HIDDEN,
    "endless chunk extension": CHUNKED + b"\r\n2;" + b"a" * 9000 + b"\r\n{}\r\n0\r\n\r\n" + HIDDEN,
    "trailer": CHUNKED + b"\r\n2\r\n{}\r\n0\r\nContent-Length: 42\r\n\r\n" + HIDDEN,
    "no host": b"GET /health HTTP/1.1\r\n\r\n" + HIDDEN,
    "two hosts": b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n" + HIDDEN,
    "blank in the target": b"GET /health /x HTTP/1.1\r\nHost: localhost\r\n\r\n" + HIDDEN,
    "two blanks": b"GET  /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + HIDDEN,
    "method that is no word": b"GET( /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + HIDDEN,
    "header without a name": POST + b": a\r\nContent-Length: 42\r\n\r\n" + HIDDEN,
}

ALLOWED = {
    "blanks around a length": POST + b"Content-Length: \t 2 \t\r\n\r\n{}",
    "no blank before a value": POST + b"Content-Length:2\r\n\r\n{}",
    "empty value": POST + b"X-Empty:\r\nContent-Length: 2\r\n\r\n{}",
    "bytes beyond ASCII": POST + "X-Name: é\r\nContent-Length: 2\r\n\r\n{}".encode(),
    "chunk extension": CHUNKED + b'\r\n1 ;a="b";c\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
    "capitals and blanks in a coding": POST + b"Transfer-Encoding: Chunked \r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "zeros before a chunk size": CHUNKED + b"\r\n0002\r\n{}\r\n000\r\n\r\n",
    "capitals": POST.replace(b"Host", b"HOST") + b"CONTENT-LENGTH: 2\r\n\r\n{}",
}
