import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jpos.iso.BaseChannel;
import org.jpos.iso.ISOBasePackager;
import org.jpos.iso.ISOBinaryFieldPackager;
import org.jpos.iso.ISOBitMap;
import org.jpos.iso.ISOBitMapPackager;
import org.jpos.iso.ISOComponent;
import org.jpos.iso.ISOFieldPackager;
import org.jpos.iso.ISOMsg;
import org.jpos.iso.ISOMsgFieldPackager;
import org.jpos.iso.ISOPackager;
import org.jpos.iso.ISOServer;
import org.jpos.iso.ISOSource;
import org.jpos.iso.ISOUtil;
import org.jpos.iso.ServerChannel;
import org.jpos.iso.packager.GenericPackager;
import org.jpos.util.ThreadPool;

/**
 * jPOS as a peer: a command a line on standard input, its arguments behind tabs; an answer a line.
 *
 * <p>A message is `0=0200|3=000000|52:00112233`: text behind `=`, where what is not printable stands as `%41`,
 * bytes as hex digits behind `:`; parts as `127.2=...`. A failure answers `! ` and why.
 */
public final class JposPeer {
    private static final Map<String, ISOPackager> PACKAGERS = new HashMap<>();
    private static final Map<String, List<String>> SEEN = new HashMap<>();
    private static final Map<String, BaseChannel> CLIENTS = new HashMap<>();
    private static final int PATIENCE = 5000;
    private static final int LATE = 1500;
    private static final int TPDU = 5;

    private JposPeer() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null;) {
            String answer;
            try {
                answer = answer(line.split("\t", -1));
            } catch (Throwable error) {
                answer = "! " + why(error);
            }
            out.println(answer);
        }
        System.exit(0);
    }

    private static String why(Throwable error) {
        StringJoiner causes = new StringJoiner(" / ");
        for (Throwable one = error; one != null && causes.length() < 400; one = one.getCause()) {
            causes.add(String.valueOf(one).replaceAll("[\\r\\n\\t]+", " "));
        }
        return causes.toString();
    }

    private static String answer(String[] said) throws Exception {
        switch (said[0]) {
            case "define":
                PACKAGERS.put(said[1], new GenericPackager(
                    new ByteArrayInputStream(said[2].getBytes(StandardCharsets.UTF_8))));
                return "ok";
            case "describe":
                return elements(packager(said[1]), "");
            case "pack":
                return ISOUtil.hexString(packed(packager(said[1]), said[2]));
            case "unpack":
                return unpacked(packager(said[1]), ISOUtil.hex2byte(said[2]));
            case "serve":
                return String.valueOf(serve(said[1], said[2], said[3]));
            case "seen":
                return String.join("\t", SEEN.get(said[1]));
            case "connect":
                BaseChannel made = channel(said[2], said[3], said[4]);
                made.setHost("127.0.0.1", Integer.parseInt(said[1]));
                made.setTimeout(PATIENCE);
                made.connect();
                CLIENTS.put(said[1], made);
                return "ok";
            case "send":
                BaseChannel channel = CLIENTS.get(said[1]);
                channel.send(message(said[2]));
                return shown(channel.receive());
            case "close":
                CLIENTS.remove(said[1]).disconnect();
                return "ok";
            default:
                throw new IllegalArgumentException(said[0]);
        }
    }

    private static ISOPackager packager(String name) throws Exception {
        ISOPackager known = PACKAGERS.get(name);
        if (known == null) {
            known = name.endsWith(".xml")
                ? new GenericPackager(name)
                : (ISOPackager) made("org.jpos.iso.packager." + name);
            PACKAGERS.put(name, known);
        }
        return known;
    }

    private static Object made(String name) throws Exception {
        return Class.forName(name).getDeclaredConstructor().newInstance();
    }

    /** A channel; its header is hex digits, or text behind `=`. */
    private static BaseChannel channel(String name, String packager, String header) throws Exception {
        BaseChannel channel = (BaseChannel) made("org.jpos.iso.channel." + name);
        channel.setPackager(packager(packager));
        if (header.startsWith("=")) {
            channel.setHeader(header.substring(1).getBytes(StandardCharsets.ISO_8859_1));
        } else if (!header.isEmpty()) {
            channel.setHeader(ISOUtil.hex2byte(header));
        } else if (name.equals("NACChannel")) {
            channel.setHeader((byte[]) null);
        }
        return channel;
    }

    /** Elements of a packager, `number,class,length,kind` each, `kind` one of b, m (with parts) and t. */
    private static String elements(ISOPackager packager, String front) {
        StringJoiner found = new StringJoiner("|");
        for (int number = 0; number <= 255; number++) {
            ISOFieldPackager one;
            try {
                one = ((ISOBasePackager) packager).getFieldPackager(number);
            } catch (RuntimeException none) {
                break;
            }
            if (one == null) {
                continue;
            }
            String path = front + number;
            String kind = one instanceof ISOBitMapPackager ? "map"
                : one instanceof ISOBinaryFieldPackager ? "b" : one instanceof ISOMsgFieldPackager ? "m" : "t";
            String name = one.getClass().getSimpleName();
            if (one instanceof ISOMsgFieldPackager) {
                ISOMsgFieldPackager whole = (ISOMsgFieldPackager) one;
                found.add(path + "," + whole.getISOFieldPackager().getClass().getSimpleName() + ","
                    + whole.getISOFieldPackager().getLength() + ",m");
                if (whole.getISOMsgPackager() instanceof ISOBasePackager) {
                    String inside = elements(whole.getISOMsgPackager(), path + ".");
                    if (!inside.isEmpty()) {
                        found.add(inside);
                    }
                }
            } else {
                found.add(path + "," + name + "," + one.getLength() + "," + kind);
            }
        }
        return found.toString();
    }

    private static byte[] packed(ISOPackager packager, String line) throws Exception {
        ISOMsg message = message(line);
        message.setPackager(packager);
        return message.pack();
    }

    private static String unpacked(ISOPackager packager, byte[] data) throws Exception {
        ISOMsg message = new ISOMsg();
        message.setPackager(packager);
        int end = message.unpack(data);
        return shown(message) + (end == data.length ? "" : "|!=" + (data.length - end) + " bytes left");
    }

    private static int serve(String channel, String packager, String header) throws Exception {
        ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        int port = socket.getLocalPort();
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        SEEN.put(String.valueOf(port), seen);
        ISOServer server =
            new ISOServer(port, (ServerChannel) channel(channel, packager, header), new ThreadPool(2, 20));
        server.setSocketFactory(ignored -> socket);
        server.addISORequestListener((source, message) -> answered(source, message, seen));
        Thread running = new Thread(server);
        running.setDaemon(true);
        running.start();
        return port;
    }

    /** Approves; a request whose amount ends in 51 is declined, in 77 lost, in 88 answered late. */
    private static boolean answered(ISOSource source, ISOMsg request, List<String> seen) {
        try {
            seen.add(shown(request));
            if (!request.isRequest()) {
                return true;
            }
            char kind = request.getMTI().charAt(1);
            String amount = (kind == '1' || kind == '2') && request.hasField(4) ? request.getString(4) : "";
            if (amount.endsWith("77")) {
                return true;
            }
            if (amount.endsWith("88")) {
                Thread.sleep(LATE);
            }
            source.send(answer(request, amount.endsWith("51")));
        } catch (Exception error) {
            seen.add("! " + why(error));
        }
        return true;
    }

    private static ISOMsg answer(ISOMsg request, boolean declined) throws Exception {
        ISOMsg answer = (ISOMsg) request.clone();
        answer.setResponseMTI();
        String mti = request.getMTI();
        char kind = mti.charAt(1);
        if (mti.charAt(0) == '0') {
            answer.set(39, declined ? "51" : "00");
        } else {
            answer.set(39, kind == '8' ? "800" : kind == '4' ? "400" : declined ? "116" : "000");
        }
        if (kind == '1' || kind == '2') {
            answer.set(38, "123456");
        }
        for (int number : new int[] {14, 18, 22, 25, 26, 35, 45, 52, 55}) {
            answer.unset(number);
        }
        answer.setDirection(ISOMsg.OUTGOING);
        byte[] header = request.getHeader();
        if (header != null && header.length == TPDU) {
            answer.getISOHeader().swapDirection();
        }
        return answer;
    }

    private static ISOMsg message(String line) throws Exception {
        ISOMsg message = new ISOMsg();
        for (String one : line.split("\\|")) {
            int at = one.indexOf('=');
            int bytes = one.indexOf(':');
            if (at < 0 || (bytes >= 0 && bytes < at)) {
                message.set(one.substring(0, bytes), ISOUtil.hex2byte(one.substring(bytes + 1)));
            } else {
                message.set(one.substring(0, at), text(one.substring(at + 1)));
            }
        }
        return message;
    }

    private static String text(String escaped) {
        StringBuilder made = new StringBuilder();
        for (int at = 0; at < escaped.length(); at++) {
            if (escaped.charAt(at) == '%') {
                made.append((char) Integer.parseInt(escaped.substring(at + 1, at + 3), 16));
                at += 2;
            } else {
                made.append(escaped.charAt(at));
            }
        }
        return made.toString();
    }

    private static String shown(ISOMsg message) throws Exception {
        StringJoiner parts = new StringJoiner("|");
        collect(message, "", parts);
        return parts.toString();
    }

    private static void collect(ISOMsg message, String front, StringJoiner parts) throws Exception {
        for (int number = 0; number <= message.getMaxField(); number++) {
            ISOComponent one = message.hasField(number) ? message.getComponent(number) : null;
            String path = front + number;
            if (one == null || one instanceof ISOBitMap) {
                continue;
            } else if (one instanceof ISOMsg) {
                collect((ISOMsg) one, path + ".", parts);
            } else if (one.getValue() instanceof byte[]) {
                parts.add(path + ":" + ISOUtil.hexString((byte[]) one.getValue()));
            } else {
                parts.add(path + "=" + escaped(String.valueOf(one.getValue())));
            }
        }
    }

    private static String escaped(String value) {
        StringBuilder made = new StringBuilder();
        for (char one : value.toCharArray()) {
            if (one < 0x20 || one > 0x7E || one == '%' || one == '|') {
                made.append(String.format("%%%02X", one & 0xFF));
            } else {
                made.append(one);
            }
        }
        return made.toString();
    }
}
