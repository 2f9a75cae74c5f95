"""What is inside the value of an element: its parts by layout rows, and chip data; read and written."""
