package io.encbench.tpcc.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PropertiesFileTest {
  @TempDir private Path folder;

  @Test
  void benchmarkSqlsCommentsAreNotProperties() throws IOException, InvalidInput {
    Path file = folder.resolve("props");
    Files.writeString(
        file,
        """
        db=mysql
        conn=jdbc:mysql://host:3306/tpcc?useSSL=false&rewriteBatchedStatements=true

        // The following five values must add up to 100
        //newOrderWeight=45
        # one more
        warehouses=2\t
        """);
    assertEquals(
        Map.of(
            "db", "mysql",
            "conn", "jdbc:mysql://host:3306/tpcc?useSSL=false&rewriteBatchedStatements=true",
            "warehouses", "3"),
        PropertiesFile.read(file, Map.of("warehouses", "3")));
  }

  @Test
  void blanksOfAValueAreKeptAsTheFormatHasThem() throws IOException, InvalidInput {
    Path file = Files.writeString(folder.resolve("props"), "user=\\ bench \nwarehouses= 2\t\n");
    assertEquals(
        Map.of("user", " bench ", "warehouses", "2\t"), PropertiesFile.read(file, Map.of()));
  }

  @Test
  void aMissingFileIsNamed() {
    Path file = folder.resolve("nothing");
    InvalidInput refused =
        assertThrows(InvalidInput.class, () -> PropertiesFile.read(file, Map.of()));
    assertEquals(
        "the properties " + file + " cannot be read: there is no such file", refused.getMessage());
  }
}
