package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.SQLException;
import javax.sql.rowset.serial.SerialException;
import org.junit.jupiter.api.Test;

/** Texts and bytes as large objects, in parts. */
class LargeObjectsTest {
  private static final String TEXT = "Grüße 😀";
  private static final byte[] BYTES = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  private static String read(Reader reader) throws IOException {
    StringWriter text = new StringWriter();
    reader.transferTo(text);
    return text.toString();
  }

  @Test
  void aPartOfATextHasItsFirstCharacter() throws Exception {
    Clob clob = new TextClob(TEXT);
    assertEquals("rüß", clob.getSubString(2, 3));
    assertEquals("rüß", read(clob.getCharacterStream(2, 3)));
    assertEquals(TEXT, read(clob.getCharacterStream(1, clob.length())));
    assertEquals(TEXT, read(clob.getCharacterStream()));
  }

  @Test
  void aPartOfATextEndsWithIt() throws Exception {
    Clob clob = new TextClob(TEXT);
    assertEquals(TEXT, clob.getSubString(1, 4000));
    assertEquals("ße 😀", clob.getSubString(4, Integer.MAX_VALUE));
    assertEquals("ße 😀", read(clob.getCharacterStream(4, Long.MAX_VALUE)));
    assertEquals("", clob.getSubString(clob.length() + 1, 1));
  }

  @Test
  void aTextHasBytes() throws Exception {
    assertArrayEquals(
        TEXT.getBytes(StandardCharsets.UTF_8), new TextClob(TEXT).getAsciiStream().readAllBytes());
    assertEquals(0, new TextClob("").getAsciiStream().readAllBytes().length);
  }

  @Test
  void anEmptyTextCanBeRead() throws Exception {
    Clob clob = new TextClob("");
    assertEquals("", clob.getSubString(1, 0));
    assertEquals("", clob.getSubString(1, 4000));
    assertEquals("", read(clob.getCharacterStream(1, 0)));
    assertEquals("", read(clob.getCharacterStream()));
  }

  @Test
  void aPartOfTheBytesEndsWithThem() throws SQLException {
    Blob blob = new BytesBlob(BYTES);
    assertArrayEquals(new byte[] {2, 3, 4}, blob.getBytes(2, 3));
    assertArrayEquals(new byte[] {9, 10}, blob.getBytes(9, 8));
    assertArrayEquals(BYTES, blob.getBytes(1, 4000));
    assertArrayEquals(new byte[0], blob.getBytes(11, 1));
    assertArrayEquals(new byte[0], new BytesBlob(new byte[0]).getBytes(1, 4000));
  }

  @Test
  void aPartBeginsWithinTheObject() throws SQLException {
    Clob clob = new TextClob(TEXT);
    Blob blob = new BytesBlob(BYTES);
    for (long from : new long[] {Long.MIN_VALUE, 0, 12, Long.MAX_VALUE}) {
      assertThrows(SerialException.class, () -> clob.getSubString(from, 1));
      assertThrows(SerialException.class, () -> clob.getCharacterStream(from, 1));
      assertThrows(SerialException.class, () -> blob.getBytes(from, 1));
    }
    assertThrows(SerialException.class, () -> clob.getSubString(1, -1));
    assertEquals(
        "a large object of length 10 has no part of length -1 from position 1 on",
        assertThrows(SerialException.class, () -> blob.getBytes(1, -1)).getMessage());
  }
}
